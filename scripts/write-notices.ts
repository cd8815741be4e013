/** `npm run notices`, after the dependencies were changed. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeNotices, NOTICES } from './notices/notices.ts'

const root = resolve(import.meta.dirname, '..')
writeFileSync(join(root, NOTICES), makeNotices(root))
