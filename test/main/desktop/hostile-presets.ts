/** Starred presets whose names need escaping in at least one format. */
import type { StarredPreset } from '../../../src/shared/preset/starred.ts'

export const both = (name: string): StarredPreset => ({ name, forPhotos: true, forVideos: true })

export const HOSTILE_NAMES: readonly string[] = [
  'Web 2048',
  '50% %F %f %% %n %1',
  'Tom & Jerry <b> © "quoted" \'single\'',
  'semi;colon; | pipe > out < in # hash',
  'back\\slash\\ \\" \\\\',
  '$HOME `id` $(id) ${PATH} !history',
  'line\nbreak\ttab\rreturn',
  'a/b:c*?',
  '.hidden~',
  '--help',
  '_under_score_ &mnemonic',
  '@resource,-1',
  'تصدير للويب',
  '‮gnp.live',
  'NUL',
  'ends in a dot.',
  ']]> <!-- </action> <action>',
  '😀'.repeat(40),
  'ß'.repeat(80),
  ' ',
  String.fromCodePoint(0x2028),
  String.fromCodePoint(0x200b, 0x3164),
]

/** Whether a label of a menu has a character that users can see. */
export const isVisible = (label: string): boolean =>
  /[^\s\p{Default_Ignorable_Code_Point}]/u.test(label.replace(/^Mediatray[:,] ?/, ''))
