"""The page's site: what a browser calls it, and what it must therefore say in its requests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Site:
    """A scheme, a host and a port; `host` is as it stands in an address, such as [::1]."""

    host: str
    port: int
    is_secure: bool = False

    @property
    def scheme(self) -> str:
        return "https" if self.is_secure else "http"

    @property
    def hosts(self) -> frozenset[str]:
        """What the Host header may be."""
        names = {self.host, "localhost"} if self.host == "127.0.0.1" else {self.host}
        hosts = {f"{name}:{self.port}" for name in names}
        if self.port == (443 if self.is_secure else 80):
            hosts |= names  # browsers leave the usual port out
        return frozenset(hosts)

    @property
    def origins(self) -> frozenset[str]:
        return frozenset(f"{self.scheme}://{host}" for host in self.hosts)

    @property
    def cookie(self) -> str:
        """The cookie's name: browsers send cookies to every port of a host."""
        return f"matchbound-{self.port}"

    def address(self, token: str) -> str:
        return f"{self.scheme}://{self.host}:{self.port}/?token={token}"
