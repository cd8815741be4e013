import { isRemoteName, type Remote } from '../../shared/drive-folder.ts'

export const LIST_REMOTES = ['listremotes', '--long'] as const

/** Reads what `rclone listremotes --long` prints: `name: type`, padded with spaces. */
export function parseRemotes(text: string): readonly Remote[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const match = /^([^:]+):\s*(\S+)/.exec(line)
    const [, name, type] = match ?? []
    return name !== undefined && type !== undefined && isRemoteName(name) ? [{ name, type }] : []
  })
}
