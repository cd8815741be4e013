/**
 * Node's HTTP server. A regular import would also load Node's bundled undici for its WebSocket, which takes longer than any other
 * module at startup.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
