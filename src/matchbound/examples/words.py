"""Words that the people of the examples are made of. They stand for nobody."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST_NAMES = _words(
    """
    Adam Agnes Alan Alice Amelia Andrew Anna Anthony Arthur Barbara Beatrice Benjamin Brian
    Carol Catherine Charles Charlotte Christine Christopher Clara Daniel David Deborah Diana
    Dorothy Edward Eleanor Elizabeth Emily Emma Eric Frances Francis Frederick George Gerald
    Grace Hannah Harold Harriet Helen Henry Ian Irene Isabel Jack Jacob James Jane Janet
    Jennifer Joan John Joseph Joyce Judith Julia Karen Kenneth Laura Leonard Lillian Louise Lucy
    Margaret Maria Mark Martha Martin Mary Matthew Michael Nancy Nicholas Nora Oliver Pamela
    Patricia Paul Peter Philip Rachel Raymond Rebecca Richard Robert Roger Rose Ruth Samuel
    Sarah Simon Sophia Stephen Susan Thomas Victoria Walter William
    """
)

NICKNAMES = {
    "Andrew": "Andy",
    "Anthony": "Tony",
    "Benjamin": "Ben",
    "Catherine": "Kate",
    "Charles": "Charlie",
    "Christopher": "Chris",
    "Daniel": "Dan",
    "David": "Dave",
    "Deborah": "Debbie",
    "Edward": "Ted",
    "Eleanor": "Nell",
    "Elizabeth": "Liz",
    "Frederick": "Fred",
    "Henry": "Harry",
    "James": "Jim",
    "Jennifer": "Jenny",
    "Joseph": "Joe",
    "Kenneth": "Ken",
    "Margaret": "Peggy",
    "Matthew": "Matt",
    "Michael": "Mike",
    "Nicholas": "Nick",
    "Pamela": "Pam",
    "Patricia": "Pat",
    "Philip": "Phil",
    "Rebecca": "Becky",
    "Richard": "Dick",
    "Robert": "Bob",
    "Samuel": "Sam",
    "Stephen": "Steve",
    "Susan": "Sue",
    "Thomas": "Tom",
    "Victoria": "Vicky",
    "William": "Bill",
}

LAST_NAMES = _words(
    """
    Abbott Adams Allen Archer Atkins Bailey Baker Barker Barnes Bell Bennett Bishop Booth
    Bradley Brooks Brown Burgess Burton Butler Carter Chapman Clark Cole Coleman Collins Cook
    Cooper Cox Dawson Dixon Doyle Edwards Ellis Evans Fisher Fletcher Foster Fox Francis Fraser
    Gardner Gibson Gilbert Graham Grant Gray Green Griffin Hall Hamilton Harper Harris Harvey
    Hawkins Hayes Hill Holland Holmes Howard Hudson Hughes Hunt Hunter Jackson Jenkins Johnson
    Jones Kelly Kennedy King Knight Lambert Lane Lawson Lee Lewis Lloyd Marsh Marshall Martin
    Mason Matthews Mills Mitchell Moore Morgan Morris Murphy Murray Nash Newman Nichols Norman
    Norton Oliver Osborne Owen Page Palmer Parker Parsons Pearce Perry Phillips Porter Potter
    Powell Price Quinn Reed Reynolds Rhodes Richards Robinson Rogers Ross Russell Saunders Scott
    Sharp Shaw Simpson Slater Smith Spencer Stevens Stone Sutton Taylor Thompson Turner Walker
    Walsh Ward Warren Watson Watts Webb Wells West Wheeler White Williams Wilson Wood Wright
    Young
    """
)

STREETS = _words(
    """
    Abbey Acorn Albion Ash Bank Beech Birch Bridge Broad Canal Castle Cedar Chapel Cherry Church
    Cliff College Cross Dale Elm Farm Ferry Field Forest Forge Garden Gate Glebe Grange Green
    Harbour Hawthorn Hazel Heath Hill Holly Ivy Kiln King Lake Laurel Lime Linden London Maple
    Market Meadow Mill Moor New North Oak Orchard Park Pine Poplar Priory Quarry Queen River
    Rose Rowan School South Spring Station Stone Sycamore Temple Tower Vicarage Vine Walnut
    Water Well West Willow Windmill Wood York
    """
)

KINDS = {"Street": "St", "Road": "Rd", "Avenue": "Ave", "Lane": "Ln"}

TOWNS = _words(
    """
    Ashcombe Barnford Brackwell Caldmere Carrowby Denholt Eastwick Fallowdale Glenbury Hartwell
    Ivybrook Kelsham Langport Marlow Netherby Oakhampton Penrose Ravenhill Selworth Thornby
    Upton Wexcombe
    """
)
