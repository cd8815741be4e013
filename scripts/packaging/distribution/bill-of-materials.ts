/**
 * Writes a CycloneDX 1.6 bill of materials from the same lists as THIRD-PARTY-NOTICES.txt. npm's dependency tree doesn't show what is built
 * into native code, or which modules packages leave out. `node scripts/packaging/distribution/bill-of-materials.ts <new file>`
 */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { moduleNotices, type ModuleNotice } from '../../notices/modules.ts'
import {
  partsOfFfmpeg,
  partsOfFigures,
  partsOfLibheif,
  partsOfLibvips,
  type BuiltIn,
} from '../../notices/native-parts.ts'
import { bundledPrograms } from '../../notices/notices.ts'
import { PACKAGE_LICENSE } from '../configuration.ts'

/** Texts in build/licences that have no SPDX identifier of that name. */
const WITHOUT_IDENTIFIER: ReadonlySet<string> = new Set(['AOM-Patent-1.0', 'libpng', 'public-domain'])

/** @throws Error if anything that is shipped has no notice */
export function billOfMaterials(root: string) {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const builtInto: Readonly<Record<string, readonly BuiltIn[]>> = {
    'libheif-js': partsOfLibheif(root),
    'node-av': partsOfFfmpeg(root),
    sharp: partsOfLibvips(root),
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'mediatray',
        name: 'Mediatray',
        version,
        licenses: [{ license: { id: PACKAGE_LICENSE } }],
      },
    },
    components: [
      ...bundledPrograms(root).map(({ name, version: ofProgram, source }) => ({
        type: 'platform',
        'bom-ref': `${name} ${ofProgram}`,
        name,
        version: ofProgram,
        licenses: [{ license: { id: 'MIT' } }],
        externalReferences: [{ type: 'vcs', url: source }],
      })),
      ...moduleNotices(root).map((module) => describeModule(module, builtInto[module.name] ?? [])),
      ...partsOfFigures(root).map((part) => describePart('mediatray', part)),
    ],
  }
}

function describeModule({ name, version, license, source }: ModuleNotice, parts: readonly BuiltIn[]) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    licenses: [{ expression: license }],
    purl,
    externalReferences: [{ type: 'vcs', url: source }],
    ...(parts.length === 0 ? {} : { components: parts.map((part) => describePart(purl, part)) }),
  }
}

/** @param owner the reference of the component that includes the part; several components can include the same part */
const describePart = (owner: string, { name, version, licences, copyright, source }: BuiltIn) => ({
  type: 'library',
  'bom-ref': `${owner}#${name}`,
  name,
  ...(version === undefined ? {} : { version }),
  licenses: licences.map((named) => ({
    license: WITHOUT_IDENTIFIER.has(named) ? { name: named } : { id: named },
  })),
  copyright,
  externalReferences: [{ type: 'website', url: source }],
})

if (process.argv[1] === import.meta.filename) {
  const bill = billOfMaterials(resolve(import.meta.dirname, '../../..'))
  await writeFile(process.argv[2] ?? 'mediatray.cdx.json', `${JSON.stringify(bill, undefined, 2)}\n`)
}
