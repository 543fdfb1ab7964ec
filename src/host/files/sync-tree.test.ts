import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { recordedPath as rel } from '../../schema/path.ts'
import { OpenFolders } from './open-folders.ts'
import { syncTree } from './sync-tree.ts'

function folderOf(count: number): { folders: OpenFolders; files: ReturnType<typeof rel>[] } {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'timewarp-sync-')))
  fs.mkdirSync(join(root, 'dir'))
  const files = Array.from({ length: count }, (_, i) => rel(`dir/${i}`))
  for (const file of files) fs.writeFileSync(join(root, file), 'x')
  const folders = new OpenFolders(root)
  onTestFinished(() => {
    folders.close()
    fs.rmSync(root, { recursive: true })
  })
  return { folders, files }
}

test('few files are synced one by one, many with the file system', async () => {
  const asked: string[] = []
  const syncSystem = async (path: string): Promise<boolean> => {
    asked.push(path)
    return true
  }
  const { folders, files } = folderOf(200)
  await syncTree(folders, { files: files.slice(0, 20), folders: [rel('dir')] }, syncSystem)
  expect(asked).toEqual([])
  await syncTree(folders, { files, folders: [rel('dir')] }, syncSystem)
  expect(asked).toEqual([folders.root])
})

test('many are synced one by one where the file system cannot be', async () => {
  const { folders, files } = folderOf(200)
  await syncTree(folders, { files, folders: [rel('dir'), rel('')] }, async () => false)
})

test('what is gone, or has become a link, needs nothing', async () => {
  const { folders, files } = folderOf(3)
  fs.rmSync(join(folders.root, 'dir/0'))
  fs.rmSync(join(folders.root, 'dir/1'))
  fs.symlinkSync('/nowhere', join(folders.root, 'dir/1'))
  await syncTree(folders, { files: [...files, rel('gone/x')], folders: [rel('gone'), rel('dir')] })
})
