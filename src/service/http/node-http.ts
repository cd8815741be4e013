/**
 * Node's HTTP server. A regular import would also load Node's bundled undici for its WebSocket, which would take up half of the
 * service's startup time.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
