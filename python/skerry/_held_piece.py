# SPDX-License-Identifier: Apache-2.0
"""What pieces of components and of regions share."""


class HeldPiece:
    """A piece of the extension's type ``_native_type``; it never changes."""

    __slots__ = ("_held",)

    def __init__(self):
        self._held = self._native_type()

    @classmethod
    def _of(cls, held):
        piece = cls.__new__(cls)
        piece._held = held
        return piece

    @classmethod
    def _held_of(cls, pieces):
        """What the extension takes of an argument ``pieces`` of this type."""
        for piece in pieces:
            if not isinstance(piece, cls):
                raise TypeError(f"pieces: {piece!r} is not {'an' if cls.__name__[0] in 'AEIOU' else 'a'} {cls.__name__}")
        return [piece._held for piece in pieces]

    shape = property(lambda self: self._held.shape)
    pixels = property(lambda self: self._held.pixels)
    complete = property(lambda self: self._held.complete)

    def to_bytes(self):
        """Bytes that ``from_bytes`` reads on any machine; equal pieces have equal bytes."""
        return self._held.to_bytes()

    @classmethod
    def from_bytes(cls, given):
        """The piece that ``to_bytes`` wrote.

        Raises
        ------
        ValueError
            When bytes are missing, were changed, or are of another version.
        """
        return cls._of(cls._native_type.from_bytes(given))

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(),)

    def __eq__(self, other):
        return self.to_bytes() == other.to_bytes() if isinstance(other, type(self)) else NotImplemented

    __hash__ = None
