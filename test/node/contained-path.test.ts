import { expect, it } from 'vitest'
import { isBelow } from '../../src/node/contained-path.ts'

it.each([
  ['/out/a.jpg', '/out', true],
  ['/out/deep/a.jpg', '/out/', true],
  ['/out/x/../a.jpg', '/out', true],
  ['/a.jpg', '/', true],
  ['/out', '/out', false],
  ['/output/a.jpg', '/out', false],
  ['/out/../a.jpg', '/out', false],
  ['/out/deep/../../etc/passwd', '/out', false],
  ['a.jpg', '/out', false],
  ['/out/a\0.jpg', '/out', false],
  ['/out/..hidden.jpg', '/out', true],
])('on this system, %j below %j is %s', (path, folder, expected) => {
  expect(isBelow(path, folder, 'linux')).toBe(expected)
  expect(isBelow(path, folder, 'darwin')).toBe(expected)
})

it('composed and decomposed spellings of a name are equal only on macOS', () => {
  const [folder, path] = ['/Bücher'.normalize('NFC'), '/Bücher/a.jpg'.normalize('NFD')]
  expect(isBelow(path, folder, 'darwin')).toBe(true)
  expect(isBelow(path, folder, 'linux')).toBe(false)
})

it.each([
  [String.raw`C:\out\a.jpg`, String.raw`C:\out`, true],
  [String.raw`c:\OUT\deep\a.jpg`, String.raw`C:\out`, true],
  [String.raw`C:/out/a.jpg`, String.raw`C:\out`, true],
  [String.raw`C:\out\..\a.jpg`, String.raw`C:\out`, false],
  [String.raw`C:\out/../a.jpg`, String.raw`C:\out`, false],
  [String.raw`D:\out\a.jpg`, String.raw`C:\out`, false],
  [String.raw`C:out\a.jpg`, String.raw`C:\out`, false],
  [String.raw`\out\a.jpg`, String.raw`C:\out`, false],
  [String.raw`\\host\share\a.jpg`, String.raw`C:\out`, false],
  [String.raw`//host/share/a.jpg`, String.raw`C:\out`, false],
  [String.raw`\\host\share\a.jpg`, String.raw`\\host\share`, false],
  [String.raw`\\?\C:\out\a.jpg`, String.raw`C:\out`, false],
  [String.raw`\\.\C:\out\a.jpg`, String.raw`C:\out`, false],
  [String.raw`\\?\UNC\host\share\a.jpg`, String.raw`C:\out`, false],
  [String.raw`C:\out\program.exe:a.jpg`, String.raw`C:\out`, false],
  [String.raw`/out/a.jpg`, String.raw`C:\out`, false],
])('on Windows, %j below %j is %s', (path, folder, expected) => {
  expect(isBelow(path, folder, 'win32')).toBe(expected)
})
