import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { openOutbox, planDraft } from '../src/main/outbox/index.ts'
import { asRecordId } from '../src/shared/model/ids.ts'
import { titleOf } from '../src/main/outbox/planned-submission.ts'
const folder = mkdtempSync('/tmp/zz-')
let ids = 0
const open = () => openOutbox({ file: join(folder, 'outbox.db'), clock: Date.now, ids: () => asRecordId(`r${(ids += 1)}`) })
const plan = (n: number) => planDraft({ source: { kind: 'files', items: Array.from({ length: 5 }, (_, m) => ({ path: `/home/me/Pictures/${n}/IMG_${m}.jpg`, name: `IMG_${m}.jpg`, kind: 'image' as const, size: 4e6 })) }, rejected: [], preset: 'Web 2048', output: { kind: 'folder', path: '/home/me/Pictures/Web' }, variations: 1, grouping: 'together', editing: null }, { presets: null, drive: null, seesFiles: true })
{
  const first = open()
  const plans = Array.from({ length: 10_000 }, (_, n) => { const p = plan(n); return p.ok ? p.submissions : [] }).flat()
  await first.enqueue(plans, { notBefore: Date.now() + 1e9 })
  first.close()
}
const used = () => { globalThis.gc?.(); globalThis.gc?.(); return process.memoryUsage().heapUsed / 1e6 }
const a = used()
const outbox = open()
const list = outbox.list()
const b = used()
const titles = list.map((s) => titleOf(s.id, s.plan, s.createdAt))
const c = used()
console.log('list MB', (b - a).toFixed(1), 'titles MB', (c - b).toFixed(1), list.length, titles.length)
