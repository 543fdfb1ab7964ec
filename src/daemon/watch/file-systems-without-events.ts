import { fileSystemType, readFile } from '../../host/files/fs.ts'
import { isAtOrBelow, mountPoint } from './mounts.ts'

/** Changes made on another machine send no events here: network file systems, FUSE, shared folders of VMs. */
const SILENT_TYPES = new Map<number, string>([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x65735546, 'fuse'],
  [0x01021997, '9p'],
  [0x00c36400, 'ceph'],
  [0x5346414f, 'afs'],
  [0x786f4256, 'vboxsf'],
])
const SILENT_NAMES = /^(nfs\d?|cifs|smb\d?|smbfs|fuse(\..+|blk)?|9p|ceph|afs|vboxsf|prl_fs|virtiofs)$/

/** The type of such a file system that holds the root or is mounted below it; undefined when there is none. */
export function fileSystemWithoutEvents(root: string, mounts = readMounts()): string | undefined {
  return SILENT_TYPES.get(fileSystemType(root)) ?? mountWithoutEventsBelow(root, mounts)
}

/** /proc/self/mountinfo has one line per mount; the type of the file system follows " - ". */
export function mountWithoutEventsBelow(root: string, mounts: string): string | undefined {
  for (const line of mounts.split('\n')) {
    const at = mountPoint(line)
    const type = line.split(' - ')[1]?.split(' ')[0]
    if (at && type && at !== root && isAtOrBelow(at, root) && SILENT_NAMES.test(type)) return type
  }
  return undefined
}

const readMounts = (): string => readFile('/proc/self/mountinfo')?.toString() ?? ''
