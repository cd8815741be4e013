/** A connection that rclone has in its configuration. */
export type Remote = {
  readonly name: string
  /** The kind of back-end: `drive` is Google Drive, `webdav`, `dropbox` … */
  readonly type: string
}

export const LIST_REMOTES = ['listremotes', '--long'] as const

/** Reads what `rclone listremotes --long` prints: `name: type`, padded with spaces. */
export function parseRemotes(text: string): readonly Remote[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const match = /^([^:]+):\s*(\S+)/.exec(line)
    const [, name, type] = match ?? []
    return name !== undefined && type !== undefined && isRemoteName(name) ? [{ name, type }] : []
  })
}

/** What can stand before the colon of an address and mean this remote and nothing else. */
export const isRemoteName = (name: string): boolean => /^[^-\s:,/\\="'][^:,/\\="'\p{Cc}]*$/u.test(name)
