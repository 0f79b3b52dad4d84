"""The one exception tree. Every error says what, where and the remedy; `cli` prints it once."""


class IgenError(Exception):
    """Something went wrong while running: exit code 1."""

    exit_code = 1

    def __init__(self, text: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{where}{self.text}{hint}"


class InputError(IgenError):
    """The user asked for something that cannot be: exit code 2."""

    exit_code = 2


class Undecided(IgenError):
    """The measurements are as they should be and do not decide the question: exit code 1."""


class OutOfReach(Undecided, InputError):
    """The user asked for something that the measured levels do not decide: exit code 2."""


class Interrupted(IgenError):
    """The user pressed Ctrl-C; what was measured is kept: exit code 130."""

    exit_code = 130
