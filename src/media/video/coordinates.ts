/** Finds coordinates in texts: in subtitles that drones and cameras write, and in tags of any name. */
import { hasPlaceLink } from '../metadata/place-links.ts'

const NUMBER = String.raw`[-+]?\d{1,3}[.,]\d{2,}`

/** A match is always a location, regardless of the surrounding text. */
const PATTERNS: readonly RegExp[] = [
  // Labels: GPS(11.5755,48.1374,18), HOME: 48.13, latitude=48.1, [lat: 48.1374]
  new RegExp(String.raw`\b(?:gps|home|lat(?:itude)?|lon(?:g(?:itude)?)?|lng)\b\s*[:=(\[]*\s*${NUMBER}`, 'i'),
  // Pairs with four or more decimals: 48.1374, 11.5755
  /[-+]?\d{1,3}\.\d{4,}°?\s*[NS]?\s*[,;/ ]\s*[-+]?\d{1,3}\.\d{4,}/,
  // ISO 6709: +48.1374+011.5755/
  /[-+]\d{2}(?:\d{2}){0,2}(?:\.\d+)?[-+]\d{3}(?:\d{2}){0,2}(?:\.\d+)?(?:[-+]\d|\/|$)/,
  // Degrees and minutes: 48° 8' 14.6" N
  /\d{1,3}\s*°\s*\d{1,2}(?:\.\d+)?\s*['′’]/,
  // Degrees with a direction: 48.1374° N
  /\d{1,3}\.\d+\s*°\s*[NSEW]\b/,
  // NMEA sentences
  /\$G[A-Z](?:GGA|RMC|GLL|GNS)\b/,
]

export const hasCoordinates = (text: string): boolean =>
  PATTERNS.some((pattern) => pattern.test(text)) || hasPlaceLink(text)
