import { benchReplace } from './replace.ts'
for (const r of await benchReplace()) console.log(r)
