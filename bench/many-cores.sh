#!/bin/sh
# Measures how much faster photos and videos are with more cores, and prints a table. Needs Linux and an unpacked package:
#   sh many-cores.sh /opt/Mediatray/resources [CORES …]
# Without a package ('' or nothing), uses the build of this checkout. By default measures 1, 2, 4, 8 … cores, up to all. The processes run
# on the first logical processors only (taskset), so each line shows what a computer with that many would do, if its clock rate and its
# caches were the same. Two of them may be threads of one core.
# MEDIATRAY_BENCH_PHOTOS, MEDIATRAY_BENCH_VIDEOS and MEDIATRAY_BENCH_SECONDS change the number of files and the length of the videos.
set -eu

for tool in taskset nproc awk sed; do
  command -v "$tool" >/dev/null || {
    echo "This needs $tool." >&2
    exit 1
  }
done
resources=${1:-}
[ $# -gt 0 ] && shift
photos=${MEDIATRAY_BENCH_PHOTOS:-240}
videos=${MEDIATRAY_BENCH_VIDEOS:-16}
seconds=${MEDIATRAY_BENCH_SECONDS:-20}
if [ -n "$resources" ]; then
  resources=$(cd "$resources" && pwd)
  node=$resources/node
  program=$resources/app.asar.unpacked
else
  program=$(cd "$(dirname "$0")/.." && pwd)
  node=$(node "$program/scripts/with-node.cjs" -p process.execPath)
fi
cores=$*
if [ -z "$cores" ]; then
  all=$(nproc)
  n=1
  while [ "$n" -lt "$all" ]; do
    cores="$cores $n"
    n=$((n * 2))
  done
  cores="$cores $all"
fi

folder=$(mktemp -d)
# The last host may still write a file.
trap 'rm -rf "$folder" || { sleep 3; rm -rf "$folder"; }' EXIT
trap 'exit 130' INT TERM HUP
# The host ends soon after its last command.
export MEDIATRAY_LINGER_MS=5000
unset NODE_OPTIONS NODE_PATH MEDIATRAY_BASE_URL MEDIATRAY_API_KEY

# The processors that this process may use, one per line. In a container they may not begin at 0.
allowed=$(LC_ALL=C taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
  awk -F- '{ for (n = $1; n <= ($2 == "" ? $1 : $2); n++) print n }')
for n in $cores; do
  [ "$n" -le "$(echo "$allowed" | wc -l)" ] || {
    echo "This computer has fewer than $n processors." >&2
    exit 1
  }
done

# on CORES COMMAND …: runs a command on the first processors.
on() {
  list=$(echo "$allowed" | head -n "$1" | paste -sd, -)
  shift
  taskset -c "$list" "$@"
}

# submit CORES PRESET FILES OUTPUT: ends the script unless each file has a result.
submit() {
  on "$1" "$node" --disable-sigusr1 --disable-proto=delete "$program/dist/cli/mediatray.js" \
    submit --preset "$2" --output "$4" --wait --again "$3" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
  }
}

new_data_folder() {
  MEDIATRAY_DATA_DIR=$(mktemp -d "$folder/data-XXXXXX")
  export MEDIATRAY_DATA_DIR
  mkdir -p "$MEDIATRAY_DATA_DIR/service/presets"
  echo '{ "name": "source", "video": { "codec": "h264", "speed": "veryfast", "crf": 18 } }' \
    >"$MEDIATRAY_DATA_DIR/service/presets/source.json"
  cat >"$MEDIATRAY_DATA_DIR/service/presets/bench.json" <<'PRESET'
{
  "name": "bench",
  "image": { "format": "jpeg", "quality": 82, "size": { "width": 2048, "height": 2048 } },
  "video": { "codec": "h264", "speed": "veryfast", "crf": 23, "height": 720 }
}
PRESET
}

# seconds_of CORES FILES: prints how many seconds the files of a folder take. An earlier command has started the host, the service and one
# worker.
seconds_of() {
  new_data_folder
  out=$(mktemp -d "$folder/out-XXXXXX")
  submit "$1" bench "$folder/one" "$out"
  begun=$(date +%s%N)
  submit "$1" bench "$folder/$2" "$out"
  ended=$(date +%s%N)
  rm -rf "$out"
  echo "$begun $ended" | awk '{ printf "%.1f", ($2 - $1) / 1e9 }'
}

# seconds_of_sharp CORES: the same photos without Mediatray, as many at once as there are cores. By default, libuv has only four threads.
seconds_of_sharp() {
  on "$1" env UV_THREADPOOL_SIZE="$1" "$node" --input-type=module - "$program" "$folder/photos" "$folder/direct" "$1" <<'SCRIPT'
import { mkdirSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
const [program, from, to, cores] = process.argv.slice(2)
const sharp = createRequire(`${program}/package.json`)('sharp')
sharp.concurrency(1)
sharp.cache(false)
mkdirSync(to, { recursive: true })
const names = readdirSync(from).values()
const one = async () => {
  for (const name of names)
    await sharp(`${from}/${name}`)
      .resize({ width: 2048, height: 2048, fit: 'inside' })
      .jpeg({ quality: 82 })
      .toFile(`${to}/${name}`)
}
const begun = performance.now()
await Promise.all(Array.from({ length: Number(cores) }, one))
process.stdout.write(((performance.now() - begun) / 1000).toFixed(1))
SCRIPT
}

echo "Making $photos photos and $videos videos" >&2
"$node" --input-type=module - "$program" "$folder" "$photos" "$seconds" <<'SCRIPT'
import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
const [program, folder, photos, seconds] = process.argv.slice(2)
const sharp = createRequire(`${program}/package.json`)('sharp')

/** Soft shapes with some grain, which compress about as well as real photos. */
async function picture(width, height, { quality, grain: sigma }) {
  const noise = (w, h, sigma) =>
    sharp({ create: { width: w, height: h, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma } } })
  const grain = await noise(width, height, sigma).png({ compressionLevel: 0 }).toBuffer()
  return sharp(await noise(40, 30, 60).png().toBuffer())
    .resize(width, height, { kernel: 'cubic', fit: 'fill' })
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality })
    .toBuffer()
}

/** An AVI file of JPEG pictures, because that format is easy to write. */
function motionJpeg(pictures, count, width, height, rate) {
  const chunk = (name, ...parts) => {
    const body = Buffer.concat(parts)
    const head = Buffer.alloc(8)
    head.write(name, 'latin1')
    head.writeUInt32LE(body.length, 4)
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
  }
  const list = (name, ...parts) => chunk('LIST', Buffer.from(name), ...parts)
  const numbers = (...values) => Buffer.from(new Uint32Array(values).buffer)
  const frames = Array.from({ length: count }, (_, at) => chunk('00dc', pictures[at % pictures.length]))
  const avih = numbers(1e6 / rate, 0, 0, 0x10, count, 0, 1, 0, width, height, 0, 0, 0, 0)
  const strh = Buffer.concat([Buffer.from('vidsMJPG'), numbers(0, 0, 0, 1, rate, 0, count, 0, -1, 0, 0, 0)])
  const strf = Buffer.concat([numbers(40, width, height, 0x180001), Buffer.from('MJPG'), numbers(width * height * 3, 0, 0, 0, 0)])
  const header = list('hdrl', chunk('avih', avih), list('strl', chunk('strh', strh), chunk('strf', strf)))
  return chunk('RIFF', Buffer.from('AVI '), header, list('movi', ...frames))
}

for (const name of ['photos', 'videos', 'both', 'one', 'source']) mkdirSync(`${folder}/${name}`)
for (let at = 0; at < 6; at++) writeFileSync(`${folder}/source/${at}.jpg`, await picture(4000, 3000, { quality: 92, grain: 10 }))
for (let at = 0; at < photos; at++)
  for (const name of ['photos', 'both']) linkSync(`${folder}/source/${at % 6}.jpg`, `${folder}/${name}/photo-${at}.jpg`)
linkSync(`${folder}/source/0.jpg`, `${folder}/one/first.jpg`)
const pictures = []
for (let at = 0; at < 30; at++)
  pictures.push(await picture(1920, 1080, { quality: 85, grain: 2 }))
mkdirSync(`${folder}/recorded`)
writeFileSync(`${folder}/recorded/video.avi`, motionJpeg(pictures, seconds * 30, 1920, 1080, 30))
SCRIPT
new_data_folder
submit "$(nproc)" source "$folder/recorded" "$folder/source"
n=0
while [ "$n" -lt "$videos" ]; do
  n=$((n + 1))
  for name in videos both; do ln "$folder"/source/video*.mp4 "$folder/$name/video-$n.mp4"; done
done

echo "| cores | $photos photos, s | sharp called directly, s | $videos videos of $seconds s, s | both in one job, s |"
echo '|---|---|---|---|---|'
for n in $cores; do
  of_photos=$(seconds_of "$n" photos)
  of_sharp=$(seconds_of_sharp "$n")
  of_videos=$(seconds_of "$n" videos)
  of_both=$(seconds_of "$n" both)
  echo "| $n | $of_photos | $of_sharp | $of_videos | $of_both |"
done
