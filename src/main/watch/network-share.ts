import { statfs } from 'node:fs/promises'

/** `f_type` of Linux's statfs(2): NFS, SMB, CIFS, SMB2, 9P, VirtualBox, AFS, Ceph, FUSE. They tell nobody of changes made elsewhere. */
const LINUX_SHARES: ReadonlySet<number> = new Set([
  0x69_69, 0x51_7b, 0xff_53_4d_42, 0xfe_53_4d_42, 0x01_02_19_97, 0x78_6f_41_56, 0x53_46_41_4f, 0x00_c3_64_00,
  0x65_73_55_46,
])

/**
 * Whether a folder has to be looked through now and then, because the system does not tell of changes there.
 *
 * macOS gives its file systems no lasting numbers, so what is mounted there counts as a share.
 */
export async function needsPolling(folder: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return folder.startsWith('\\\\')
  if (platform === 'darwin') return folder.startsWith('/Volumes/')
  const { type } = await statfs(folder)
  return LINUX_SHARES.has(type >>> 0)
}
