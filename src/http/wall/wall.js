// The wall in the browser: scenes of a few pictures each, the newest first, as the events of the service tell them.
// It runs for days: what it remembers and what it draws has a limit, and whatever breaks is tried again.
const MOST = 300
const DWELL_MS = 14_000
/** A scene stays at least so long when something new comes. */
const GLANCE_MS = 4_000
const FADE_MS = 2_200
const LOAD_MS = 15_000
/** The service beats every ten seconds. */
const SILENCE_MS = 35_000
const SIZES = [640, 1280, 2048]
/** A pixel. Chromium never frees an image that lost its `src`, but one that was given another. */
const NOTHING = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

const page = document.documentElement
const stage = document.querySelector('#stage')
const empty = document.querySelector('#empty')
const base = location.pathname.replace(/\/$/, '')
const key = new URLSearchParams(location.search).get('key') ?? ''
const isStill = matchMedia('(prefers-reduced-motion: reduce)')

/** What is on the wall, by id. */
const items = new Map()
/** Ids of what came and was not shown yet. */
let fresh = []
/** The id that was shown last on the walk through all. */
let walked = null
/** The scene that is seen, and all that are drawn: at most one more, which fades out. */
let current = null
let scenes = []
let shownAt = 0
let timer
let isDrawing = false

const newestFirst = () => [...items.values()].sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
const addressOf = ({ id, version }, size) =>
  `${base}/file/${id}?key=${encodeURIComponent(key)}&v=${version}${size ? `&size=${size}` : ''}`

/** How many pictures a screen of this shape holds. */
function capacity() {
  const { clientWidth: width, clientHeight: height } = stage
  if (width < height * 0.8) return height < 900 ? 3 : 4
  return width < 1000 ? 4 : width < 2600 ? 5 : 7
}

/** What came last goes first, then the walk through all goes on. */
function nextOnes() {
  const all = newestFirst()
  const most = Math.min(capacity(), all.length)
  const chosen = all.filter(({ id }) => fresh.includes(id)).slice(0, most)
  fresh = fresh.filter(id => !chosen.some(item => item.id === id))
  const from = all.findIndex(({ id }) => id === walked) + 1
  for (let step = 0; step < all.length && chosen.length < most; step++) {
    const item = all[(from + step) % all.length]
    if (chosen.includes(item)) continue
    chosen.push(item)
    walked = item.id
  }
  return chosen
}

/** Places pictures in rows, each in its own shape, so that they cover as much as can be. */
function placed(shapes, width, height) {
  const gap = Math.max(6, Math.min(width, height) * 0.012)
  let best = { covered: -1, places: [] }
  for (let cut = 0; cut < 2 ** (shapes.length - 1); cut++) {
    const rows = [[]]
    shapes.forEach((shape, at) => {
      rows.at(-1).push(shape)
      if (cut & (1 << at) && at < shapes.length - 1) rows.push([])
    })
    const heights = rows.map(row => (width - gap * (row.length - 1)) / row.reduce((sum, shape) => sum + shape, 0))
    const whole = heights.reduce((sum, each) => sum + each, 0)
    const scale = Math.min(1, (height - gap * (rows.length - 1)) / whole)
    if (scale <= 0) continue
    const covered = whole * scale * scale
    if (covered <= best.covered) continue
    let top = (height - whole * scale - gap * (rows.length - 1)) / 2
    const places = rows.flatMap((row, at) => {
      const tall = heights[at] * scale
      const wide = row.reduce((sum, shape) => sum + shape * tall, gap * (row.length - 1))
      let left = (width - wide) / 2
      const here = row.map(shape => {
        const place = { left, top, width: shape * tall, height: tall }
        left += place.width + gap
        return place
      })
      top += tall + gap
      return here
    })
    best = { covered, places }
  }
  return best.places
}

const shapeOf = ({ width, height }) => Math.min(4, Math.max(0.25, width && height ? width / height : 4 / 3))

/** Room is left for the corner where it would lie on a picture. */
function room() {
  const corner = document.querySelector('#corner')
  const { clientWidth: width, clientHeight: height } = stage
  if (!corner) return { width, height }
  const { width: wide, height: tall } = corner.getBoundingClientRect()
  return width > height ? { width: width - wide - 24, height } : { width, height: height - tall - 16 }
}

function arrange(scene) {
  const { width, height } = room()
  const figures = [...scene.children]
  const places = placed(
    figures.map(figure => shapeOf(figure.item)),
    width,
    height,
  )
  const isMirrored = page.dir === 'rtl' && width < stage.clientWidth
  const aside = isMirrored ? stage.clientWidth - width : 0
  figures.forEach((figure, at) => {
    for (const [side, pixels] of Object.entries(places[at] ?? {}))
      figure.style[side] = `${Math.round(pixels + (side === 'left' ? aside : 0))}px`
  })
}

/** What is out of sight holds no memory. */
function release(element) {
  for (const image of element.querySelectorAll('img')) image.src = NOTHING
  for (const video of element.querySelectorAll('video')) {
    video.pause()
    video.removeAttribute('src')
    video.load()
  }
  element.remove()
}

const within = (ms, promise) =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('it took too long')), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(late))
  })

function pictureOf(item, pixels) {
  const image = new Image()
  const side = Math.max(pixels.width, pixels.height) * Math.min(2, devicePixelRatio)
  const size = item.as_it_is && item.medium === 'image' ? null : (SIZES.find(each => each >= side) ?? SIZES.at(-1))
  image.alt = item.medium === 'video' ? page.dataset.video : page.dataset.photo
  image.src = addressOf(item, size)
  return { media: image, ready: image.decode() }
}

function videoOf(item) {
  const video = document.createElement('video')
  Object.assign(video, { muted: true, loop: true, playsInline: true, autoplay: true, src: addressOf(item) })
  video.setAttribute('aria-label', page.dataset.video)
  const ready = new Promise((resolve, reject) => {
    video.addEventListener('loadeddata', resolve, { once: true })
    video.addEventListener('error', () => reject(new Error('it can’t be played')), { once: true })
  })
  return { media: video, ready }
}

/** A figure with its picture in it; of a video that can't be played a picture; null if there is nothing to be had. */
async function figureOf(item, pixels) {
  for (const make of item.medium === 'video' ? [videoOf, pictureOf] : [pictureOf]) {
    const { media, ready } = make(item, pixels)
    const figure = document.createElement('figure')
    figure.item = item
    figure.append(media)
    try {
      await within(LOAD_MS, ready)
      return figure
    } catch {
      release(figure)
    }
  }
  return null
}

const isDrawn = chosen =>
  current !== null &&
  chosen.length === current.children.length &&
  [...current.children].every(({ item }) =>
    chosen.some(({ id, version }) => id === item.id && version === item.version),
  )

async function draw() {
  if (isDrawing) return
  isDrawing = true
  clearTimeout(timer)
  let wait = DWELL_MS
  try {
    const chosen = nextOnes()
    empty.hidden = items.size > 0
    if (chosen.length === 0) clear()
    else if (!isDrawn(chosen)) {
      const { width, height } = room()
      const places = placed(chosen.map(shapeOf), width, height)
      const made = await Promise.all(chosen.map((item, at) => figureOf(item, places[at])))
      const figures = made.filter(figure => figure && items.get(figure.item.id)?.version === figure.item.version)
      for (const figure of made) if (figure && !figures.includes(figure)) release(figure)
      if (figures.length > 0) show(figures)
      else wait = GLANCE_MS
    }
  } finally {
    isDrawing = false
    plan(fresh.length > 0 ? GLANCE_MS : wait)
  }
}

function plan(ms) {
  clearTimeout(timer)
  timer = setTimeout(draw, ms)
}

function show(figures) {
  // Never more than two scenes at once, however fast they follow each other.
  for (const scene of scenes) if (scene !== current) release(scene)
  const before = current
  const scene = document.createElement('div')
  scene.className = 'scene'
  scene.append(...figures)
  stage.append(scene)
  arrange(scene)
  scenes = before ? [before, scene] : [scene]
  current = scene
  shownAt = Date.now()
  scene.getBoundingClientRect()
  scene.classList.add('here')
  for (const video of scene.querySelectorAll('video')) video.play().catch(() => {})
  if (!before) return
  before.classList.remove('here')
  setTimeout(
    () => {
      if (!scenes.includes(before) || current === before) return
      scenes = scenes.filter(each => each !== before)
      release(before)
    },
    isStill.matches ? 0 : FADE_MS,
  )
}

function clear() {
  for (const scene of scenes) release(scene)
  scenes = []
  current = null
}

/** At once, also from what is seen now. */
function remove(id) {
  items.delete(id)
  fresh = fresh.filter(each => each !== id)
  for (const scene of scenes) {
    const figures = [...scene.children].filter(figure => figure.item.id === id)
    if (figures.length === 0) continue
    for (const figure of figures) release(figure)
    arrange(scene)
  }
  if (current && current.children.length === 0) {
    clear()
    draw()
  }
}

function add(item) {
  if (items.get(item.id)?.version === item.version) return false
  if (items.has(item.id)) remove(item.id)
  items.set(item.id, item)
  return true
}

function came(ids) {
  fresh = [...new Set([...ids, ...fresh])].slice(0, MOST)
  for (const { id } of newestFirst().slice(MOST)) remove(id)
  if (current === null) draw()
  else if (ids.length > 0 && !isDrawing) plan(Math.max(300, shownAt + GLANCE_MS - Date.now()))
}

const handlers = {
  state({ look, items: now }) {
    if (look !== page.dataset.look && sessionStorage.getItem('look') !== look) {
      // The wall looks different now. Once: an older service may still answer.
      sessionStorage.setItem('look', look)
      return location.reload()
    }
    const isFirst = items.size === 0
    const known = new Set(now.map(({ id }) => id))
    for (const id of [...items.keys()]) if (!known.has(id)) remove(id)
    const added = now.filter(add).map(({ id }) => id)
    came(isFirst ? [] : added)
    empty.hidden = items.size > 0
  },
  changed({ added, removed }) {
    for (const id of removed) remove(id)
    came(added.filter(add).map(({ id }) => id))
    empty.hidden = items.size > 0
  },
  beat() {},
  gone() {
    location.reload()
  },
}

let failures = 0
function connect() {
  const events = new EventSource(`${base}/events?key=${encodeURIComponent(key)}`)
  let silence
  const heard = () => {
    clearTimeout(silence)
    silence = setTimeout(again, SILENCE_MS)
  }
  function again() {
    clearTimeout(silence)
    events.onerror = null
    events.close()
    failures++
    const wait = Math.min(30_000, 500 * 2 ** Math.min(failures, 6)) * (0.75 + Math.random() / 2)
    setTimeout(async () => {
      // A stream does not tell why it was refused: a key that was revoked is said by the page.
      const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null)
      if (answer?.status === 404) return location.reload()
      connect()
    }, wait)
  }
  events.onopen = heard
  events.onerror = again
  heard()
  for (const [name, handle] of Object.entries(handlers))
    events.addEventListener(name, event => {
      failures = 0
      heard()
      handle(JSON.parse(event.data))
    })
}

let resizing
addEventListener('resize', () => {
  clearTimeout(resizing)
  resizing = setTimeout(() => {
    for (const scene of scenes) arrange(scene)
  }, 150)
})
addEventListener('online', () => {
  failures = 0
})
// Shows something while the service is away and somebody loads the page.
navigator.serviceWorker?.register('/wall/-/away.js', { scope: '/wall/' }).catch(() => {})
connect()
