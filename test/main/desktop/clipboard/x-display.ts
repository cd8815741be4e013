/** A real X server without a screen, and a client with one window, as an app would have it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

const ATOM = { string: 31, window: 33, wmClass: 67 }

export async function startXDisplay() {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '320x200x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const ended = once(server, 'exit')
  const numbers = server.stdio[3] as NodeJS.ReadableStream
  const [number] = (await once(createInterface({ input: numbers }), 'line')) as [string]
  const socket = connect(`/tmp/.X11-unix/X${number}`)
  const client = await openClient(socket)
  const active = await client.atom('_NET_ACTIVE_WINDOW')
  return {
    /** The value of DISPLAY. */
    name: `:${number}`,
    /** Puts a window with this WM_CLASS in front. Without a window manager, that is only a property of the root window. */
    async putInFront(wmClass: Uint8Array | undefined) {
      const window = client.createWindow()
      if (wmClass !== undefined) client.setProperty(window, ATOM.wmClass, ATOM.string, 8, wmClass)
      client.setProperty(client.root, active, ATOM.window, 32, new Uint8Array(Uint32Array.of(window).buffer))
      await client.done()
    },
    /** What the root window says about the window in front, as raw bytes; nothing at all for undefined. */
    async setActive(windows: readonly number[] | undefined) {
      if (windows === undefined) client.deleteProperty(client.root, active)
      else {
        const bytes = new Uint8Array(Uint32Array.from(windows).buffer)
        client.setProperty(client.root, active, ATOM.window, 32, bytes)
      }
      await client.done()
    },
    async [Symbol.asyncDispose]() {
      socket.destroy()
      server.kill()
      await ended
    },
  }
}

/** The part of the X11 protocol that is needed here. All numbers are little-endian. */
async function openClient(socket: Socket) {
  socket.write(Uint8Array.of(0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  const read = reader(socket)
  const setup = await read(8)
  const info = await read(setup.readUInt16LE(6) * 4)
  const resources = info.readUInt32LE(4)
  const vendorLength = info.readUInt16LE(16)
  const formats = info.readUInt8(21)
  const root = info.readUInt32LE(32 + padded(vendorLength) + 8 * formats)
  let created = 0

  function send(code: number, detail: number, body: Uint8Array): void {
    const head = Buffer.alloc(4)
    head.writeUInt8(code, 0)
    head.writeUInt8(detail, 1)
    head.writeUInt16LE(1 + padded(body.length) / 4, 2)
    socket.write(Buffer.concat([head, body, Buffer.alloc(padded(body.length) - body.length)]))
  }
  async function atom(name: string): Promise<number> {
    const text = Buffer.from(name)
    send(16, 0, Buffer.concat([shorts(text.length, 0), text]))
    return (await read(32)).readUInt32LE(8)
  }
  return {
    root,
    atom,
    createWindow(): number {
      created += 1
      const id = resources + created
      send(1, 0, Buffer.concat([words(id, root), shorts(0, 0, 10, 10, 0, 1), words(0, 0)]))
      return id
    },
    setProperty(window: number, name: number, type: number, format: 8 | 32, bytes: Uint8Array): void {
      const count = (bytes.length * 8) / format
      send(18, 0, Buffer.concat([words(window, name, type, format, count), bytes]))
    },
    deleteProperty: (window: number, name: number) => send(19, 0, words(window, name)),
    /** Resolves when the server has carried out everything before. */
    done: () => atom('WM_CLASS'),
  }
}

const padded = (length: number): number => Math.ceil(length / 4) * 4
const words = (...values: readonly number[]) => Buffer.from(Uint32Array.from(values).buffer)
const shorts = (...values: readonly number[]) => Buffer.from(Uint16Array.from(values).buffer)

function reader(socket: Socket): (length: number) => Promise<Buffer> {
  return async (length) => {
    for (;;) {
      const chunk = socket.read(length) as Buffer | null
      if (chunk !== null) return chunk
      await once(socket, 'readable')
    }
  }
}
