// Parses as much of H.264 as needed to know whether packets of two encodes can share one track.

interface ParameterSets {
  sps: Uint8Array[]
  pps: Uint8Array[]
  spsIds: number[]
  ppsIds: number[]
}

interface SequenceFacts {
  profile: number
  chroma: number
  bits: number
  interlaced: boolean
}

const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128])
const IDR = 5
const SPS = 7
const PPS = 8

/** Reads bits, skipping the emulation prevention bytes. */
function bitReader(nal: Uint8Array): { bits(count: number): number; ue(): number } {
  const bytes: number[] = []
  for (let i = 0; i < nal.length; i++) {
    if (i >= 2 && nal[i] === 3 && nal[i - 1] === 0 && nal[i - 2] === 0) continue
    bytes.push(nal[i]!)
  }
  let at = 0
  const bit = (): number => {
    const byte = bytes[at >> 3]
    if (byte === undefined) throw new RangeError('the parameter set ends early')
    return (byte >> (7 - (at++ & 7))) & 1
  }
  const bits = (count: number): number => {
    let value = 0
    for (let i = 0; i < count; i++) value = value * 2 + bit()
    return value
  }
  const ue = (): number => {
    let zeros = 0
    while (bit() === 0) if (++zeros > 31) throw new RangeError('not an Exp-Golomb code')
    return 2 ** zeros - 1 + bits(zeros)
  }
  return { bits, ue }
}

/** The parameter sets inside an `avcC` record, with their ids. */
export function parameterSets(avcC: Uint8Array): ParameterSets {
  const sets: ParameterSets = { sps: [], pps: [], spsIds: [], ppsIds: [] }
  const view = new DataView(avcC.buffer, avcC.byteOffset, avcC.byteLength)
  let at = 5
  const read = (count: number, into: Uint8Array[]): void => {
    for (let i = 0; i < count; i++) {
      const length = view.getUint16(at)
      into.push(avcC.subarray(at + 2, at + 2 + length))
      at += 2 + length
    }
  }
  read(view.getUint8(at++) & 31, sets.sps)
  read(view.getUint8(at++), sets.pps)
  for (const sps of sets.sps) sets.spsIds.push(bitReader(sps.subarray(4)).ue())
  for (const pps of sets.pps) sets.ppsIds.push(bitReader(pps.subarray(1)).ue())
  return sets
}

/** Facts about the frames, from the first sequence parameter set. */
export function sequenceFacts(avcC: Uint8Array): SequenceFacts {
  const [sps] = parameterSets(avcC).sps
  if (!sps) throw new RangeError('no sequence parameter set')
  const profile = sps[1]!
  const reader = bitReader(sps.subarray(4))
  reader.ue()
  let chroma = 1
  let bits = 8
  if (HIGH_PROFILES.has(profile)) {
    chroma = reader.ue()
    if (chroma === 3) reader.bits(1)
    bits = 8 + reader.ue()
    reader.ue()
    reader.bits(1)
    if (reader.bits(1)) return { profile, chroma, bits, interlaced: true } // scaling matrices: no phone writes them; treated as unsafe
  }
  reader.ue()
  const order = reader.ue()
  if (order === 0) reader.ue()
  else if (order === 1) return { profile, chroma, bits, interlaced: true }
  reader.ue()
  reader.bits(1)
  reader.ue()
  reader.ue()
  return { profile, chroma, bits, interlaced: reader.bits(1) === 0 }
}

/** Merges the parameter sets of all records into one. Null when two different sets have the same id. */
export function mergeRecords(records: readonly Uint8Array[]): Uint8Array | null {
  const [first] = records
  if (!first) return null
  const sps = new Map<number, Uint8Array>()
  const pps = new Map<number, Uint8Array>()
  const add = (into: Map<number, Uint8Array>, id: number, set: Uint8Array): boolean => {
    const known = into.get(id)
    if (known) return Buffer.compare(known, set) === 0
    into.set(id, set)
    return true
  }
  for (const record of records) {
    const sets = parameterSets(record)
    if (!sets.sps.every((set, i) => add(sps, sets.spsIds[i]!, set))) return null
    if (!sets.pps.every((set, i) => add(pps, sets.ppsIds[i]!, set))) return null
    if ((record[4]! & 3) !== (first[4]! & 3)) return null // NAL length size
  }
  const profile = Math.max(...records.map(record => record[1]!))
  const level = Math.max(...records.map(record => record[3]!))
  const block = (sets: Iterable<Uint8Array>): Buffer[] =>
    [...sets].flatMap(set => [Buffer.from([set.length >> 8, set.length & 255]), Buffer.from(set)])
  return Buffer.concat([
    Buffer.from([1, profile, 0, level, first[4]!, 0xe0 | sps.size]),
    ...block(sps.values()),
    Buffer.from([pps.size]),
    ...block(pps.values()),
    ...(profile >= 100 ? [Buffer.from([0xfd, 0xf8, 0xf8, 0])] : []),
  ])
}

/** An id that no set of these records uses. */
export function freeId(records: readonly Uint8Array[]): number {
  const used = new Set(
    records.flatMap(record => parameterSets(record)).flatMap(({ spsIds, ppsIds }) => [...spsIds, ...ppsIds]),
  )
  for (let id = 7; id < 32; id++) if (!used.has(id)) return id
  return 0
}

/** Whether decoding can begin at a packet (length-prefixed units), and whether it carries its own parameter sets. */
export function unitsOf(packet: Uint8Array, lengthSize: number): { idr: boolean; sets: boolean } {
  let idr = false
  let sets = false
  for (let at = 0; at + lengthSize < packet.length; ) {
    let length = 0
    for (let i = 0; i < lengthSize; i++) length = length * 256 + packet[at + i]!
    const type = packet[at + lengthSize]! & 31
    if (type === IDR) idr = true
    if (type === SPS || type === PPS) sets = true
    at += lengthSize + length
  }
  return { idr, sets }
}
