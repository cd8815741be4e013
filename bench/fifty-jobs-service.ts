/**
 * Serves `GET /api/jobs` with 50 jobs: one running, ten waiting, the rest done. The progress changes with every response, or not at all if
 * the first argument is `unchanged`. Runs in a separate process, so that its CPU time isn't counted. Prints its base URL and exits when
 * stdin closes.
 */
import { createServer } from 'node:http'

let responses = 0

const jobs = (share: number) =>
  Array.from({ length: 50 }, (_, index) => ({
    jobId: `job-${String(50 - index)}`,
    status: index < 10 ? 'queued' : index === 10 ? 'processing' : 'completed',
    type: 'batch',
    preset: 'Web 2048',
    progress:
      index === 10
        ? { phase: 'resizing', totalProgress: share, currentFile: 7, totalFiles: 24, completedFiles: 6 }
        : { totalProgress: index < 10 ? 0 : 100 },
    createdAt: new Date(Date.UTC(2026, 10, 17, 8) - index * 60_000).toISOString(),
    startedAt: index < 10 ? null : new Date(Date.UTC(2026, 10, 17, 8) - index * 50_000).toISOString(),
    completedAt: index <= 10 ? null : new Date(Date.UTC(2026, 10, 17, 9) - index * 50_000).toISOString(),
    fileType: 'image',
    fileName: `DSC_${String(4000 + index)}.heic`,
    totalFiles: 24,
    ...(index <= 10
      ? {}
      : {
          results: Array.from({ length: 24 }, (__, file) => ({
            file: `DSC_${String(file)}.heic`,
            outputPath: `/home/ada/Pictures/Web/DSC_${String(file)}-web-2048.jpg`,
          })),
          errors: [],
        }),
  }))

const server = createServer((_, response) => {
  if (process.argv[2] !== 'unchanged') responses++
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jobs: jobs((responses % 1000) / 10), queueLength: 10, processing: true }))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) {
    console.log(`http://127.0.0.1:${String(address.port)}/api`)
  }
})
process.stdin.on('end', () => process.exit(0)).resume()
