/** `npm run notices`, after changing dependencies: writes THIRD-PARTY-NOTICES.txt. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeNotices, NOTICES } from './notices/notices.ts'

const root = resolve(import.meta.dirname, '..')
writeFileSync(join(root, NOTICES), makeNotices(root))
