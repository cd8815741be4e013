/**
 * `node scripts/with-node.cjs SCRIPT …` runs one of the project's scripts on the Node that it is written for, whichever Node reads
 * this file: any from 14 on can. `npm ci` brings the right one along, and leaves out what is not published for a system.
 *
 * `--built BUNDLE` before the script: what was built of it is run instead, as long as it is of the sources as they are now.
 */
'use strict'
const { spawn } = require('child_process')
const { existsSync, readdirSync, symlinkSync } = require('fs')
const path = require('path')

const NEEDED = 24
const root = path.resolve(__dirname, '..')
const modules = path.join(root, 'node_modules')
const version = process.versions.node
const isWindows = process.platform === 'win32'

/** @returns its path; undefined where the installation has none */
function broughtNode() {
  const name = ['node', isWindows ? 'win' : process.platform, process.arch].join('-')
  const brought = path.join(modules, name, 'bin', isWindows ? 'node.exe' : 'node')
  return existsSync(brought) ? brought : undefined
}

/**
 * npm up to 10 installs the Node of this system and then removes its link, because those of the other systems would have had the
 * same. Tools that are called by hand look for it.
 */
function linkNode(node) {
  const link = path.join(modules, '.bin', 'node')
  if (isWindows || existsSync(link)) return
  try {
    symlinkSync(path.relative(path.dirname(link), node), link)
  } catch {
    // Somebody else's installation, or another process was first: what is started from here finds Node by the path.
  }
}

/** Decoders are published for each system apart; npm leaves them out where it is told to, or takes the system for another. */
function hasDecoders() {
  const folder = path.join(modules, '@img')
  return existsSync(folder) && readdirSync(folder).some((name) => /^sharp-(?!libvips)/.test(name))
}

/** @returns why the script can't be run, in a sentence; undefined where it can */
function reasonAgainst(node) {
  if (!existsSync(modules)) return 'Nothing is installed yet. Type: npm ci'
  if (node === undefined)
    return (
      `Mediatray needs Node ${NEEDED} or newer; this is Node ${version}, and npm ci brought none for this system. ` +
      'Install it from https://nodejs.org and try again'
    )
  if (!hasDecoders()) return 'What decodes photos is missing in node_modules. Type: npm ci --include=optional'
  return undefined
}

/** @param args of this script */
function commandOf(args) {
  if (args[0] !== '--built') return args
  const { isBuilt } = require('./built.cjs')
  const [, bundle, script, ...others] = args
  return [isBuilt(root) ? bundle : script].concat(others)
}

function run(node, args) {
  const child = spawn(node, ['--disable-warning=ExperimentalWarning'].concat(args), {
    stdio: 'inherit',
    env: Object.assign({}, process.env, {
      PATH: [path.dirname(node), process.env.PATH].join(path.delimiter),
      // Half of what a short command takes is reading the sources: what Node has made of them is kept. Where nothing can be
      // written it works without.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || path.join(modules, '.cache', 'compiled'),
    }),
  })
  child.once('error', (error) => {
    console.error(
      `Mediatray needs Node ${NEEDED} or newer; this is Node ${version}, and the one that npm ci brought does not run here ` +
        `(${error.message}). Install it from https://nodejs.org and try again`,
    )
    process.exitCode = 1
  })
  child.once('exit', (code) => {
    process.exitCode = code === null ? 1 : code
  })
  // A terminal tells both of Ctrl-C by itself; the script decides what it means.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
}

const isNewEnough = Number(version.split('.')[0]) >= NEEDED
const brought = broughtNode()
if (brought !== undefined) linkNode(brought)
const node = isNewEnough ? process.execPath : brought
const reason = reasonAgainst(node)
if (reason === undefined) run(node, commandOf(process.argv.slice(2)))
else {
  console.error(reason)
  process.exitCode = 1
}
