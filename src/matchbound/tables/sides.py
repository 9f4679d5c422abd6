"""Whether two tables are matched with each other, or one with itself."""

from dataclasses import dataclass

from matchbound.errors import InputError

SEPARATOR = "-__-"  # Splink's, in ids of records of several sources: source-__-id


@dataclass(frozen=True)
class Matching:
    """`dedupe`: one table, X = Y. `link`: Y is another table. The user may leave both open.

    `source` is the name of X's source where tables have columns of sources.
    """

    dedupe: bool = False
    link: bool = False
    source: str | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.source, str | None) and self.source != ""):
            raise InputError(f"source must be a name, got {self.source!r}. Give text.")
        if self.dedupe and (self.link or self.source is not None):
            raise InputError(
                "dedupe must be given without link and source, got both. "
                "Say whether one table is matched with itself, or two with each other."
            )

    @property
    def is_link(self) -> bool:
        return self.link or self.source is not None

    def check_future(self, future: bool) -> None:
        """Refuse guarantees about the future where X = Y.

        They need nodes that are independent draws, but there nodes are each other's matches.
        """
        if future and self.dedupe:
            raise InputError(
                "future must not come with dedupe, got both: a record's matches are then other "
                "records, so records are no independent draws. Drop one of them."
            )

    def as_dict(self) -> dict[str, bool | str | None]:
        return {"dedupe": self.dedupe, "link": self.link, "source": self.source}
