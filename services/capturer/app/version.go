package app

import "github.com/colophon-dev/colophon/services/capturer/internal/typing"

// TypingVersion is that of the rules by which captured bytes are typed.
const TypingVersion = typing.Version
