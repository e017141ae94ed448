// The chain as a picture: steps laid out along their lines, a "+" on every line, each step with what it made.

import {
  Background,
  BaseEdge,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  getBezierPath,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  useReactFlow,
} from '@xyflow/react'
import { t } from '../words/t.ts'
import '@xyflow/react/dist/style.css'
import { FileInput, Flag, Plus, TriangleAlert } from 'lucide-react'
import { createContext, useContext, useEffect, useMemo } from 'react'
import { classes } from '../parts/classes.ts'
import { useTheme } from '../theme.ts'
import { connect, descends, type Link, moveInto, places } from './model.ts'
import { StepFace, type StepLook } from './step-face.tsx'

const FILE = 'file'
const WIDTH = 208
const HEIGHT = 196
const GAP_X = 84
const GAP_Y = 40

/** Where a new step goes: into the line that leads to an entry, or behind one (null: behind the file). */
export type Spot = { before: string } | { after: string | null }

interface Actions {
  looks: ReadonlyMap<string, StepLook>
  selected: string | null
  onAdd(spot: Spot): void
  onSelect(key: string): void
}
const ActionsContext = createContext<Actions>({ looks: new Map(), selected: null, onAdd: () => {}, onSelect: () => {} })

type EntryData = { index: number; isLast: boolean; isLeaf: boolean }
type EntryNode = Node<EntryData, 'entry'>
type FileNode = Node<{ isAlone: boolean }, 'file'>

const handle = '!size-4 !rounded-full !border-2 !border-card !bg-ink'

function AddButton({ label, onAdd, className }: { label: string; onAdd(): void; className?: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={event => {
        event.stopPropagation()
        onAdd()
      }}
      className={classes(
        'nodrag nopan grid size-7 place-items-center rounded-full border border-edge bg-card text-ink shadow-card hover:bg-ink hover:text-card',
        className,
      )}
    >
      <Plus aria-hidden className="size-4" />
    </button>
  )
}

function FileBox({ data }: NodeProps<FileNode>) {
  const { onAdd } = useContext(ActionsContext)
  return (
    <div className="relative flex items-center gap-2.5 rounded-card bg-ink px-4 py-3 text-card shadow-card">
      <FileInput aria-hidden className="size-5" /> <span className="font-semibold">{t('The file sent in')}</span>
      <Handle
        type="source"
        position={Position.Right}
        className={`${handle} !bg-marker`}
        title={t('The file sent in: draw from here')}
      />
      <AddButton
        label={data.isAlone ? t('Add the first step') : t('Add a step that takes the file sent in')}
        onAdd={() => onAdd({ after: null })}
        className={data.isAlone ? 'absolute top-1.5 -right-14 size-9' : 'absolute -bottom-9 right-4'}
      />
    </div>
  )
}

function EntryBox({ id, data }: NodeProps<EntryNode>) {
  const { looks, selected, onAdd, onSelect } = useContext(ActionsContext)
  const look = looks.get(id)
  const name = look?.name ?? ''
  return (
    <div
      className={classes(
        'relative w-52 rounded-card border bg-card shadow-card',
        selected === id ? 'border-ink ring-2 ring-ink' : 'border-edge',
      )}
    >
      <Handle
        type="target"
        position={Position.Left}
        className={handle}
        title={t('Entry {index}: draw to here', { index: data.index })}
      />
      <button
        type="button"
        aria-label={t('Set up {name}', { name })}
        aria-pressed={selected === id}
        onClick={() => onSelect(id)}
        className="absolute inset-0 rounded-card"
      />
      <div className="pointer-events-none p-3">
        <span className="mb-1.5 flex items-center justify-between gap-2">
          <span className="edgeprint">▸ {data.index}</span>
          {look?.trouble && (
            <span className="flex items-center gap-1 text-[12px] font-semibold text-warn">
              <TriangleAlert aria-hidden className="size-3.5" />
              {look.trouble}
            </span>
          )}
        </span>
        {look && <StepFace look={look} />}
        {data.isLast && (
          <span className="mt-1 flex items-center gap-1.5 text-[12.5px] text-soft">
            <Flag aria-hidden className="size-3.5 shrink-0" /> {t('its file is the result')}
          </span>
        )}
      </div>
      <Handle
        type="source"
        position={Position.Right}
        className={handle}
        title={t('What entry {index} makes: draw from here', { index: data.index })}
      />
      <AddButton
        label={t('Add a step after {name}', { name })}
        onAdd={() => onAdd({ after: id })}
        className={data.isLeaf ? 'absolute top-[calc(50%-14px)] -right-11' : 'absolute right-5 -bottom-3.5'}
      />
    </div>
  )
}

function Line({ sourceX, sourceY, targetX, targetY, target, id, style }: EdgeProps) {
  const { onAdd, looks } = useContext(ActionsContext)
  const [path, x, y] = getBezierPath({
    sourceX,
    sourceY,
    sourcePosition: Position.Right,
    targetX,
    targetY,
    targetPosition: Position.Left,
  })
  return (
    <>
      <BaseEdge id={id} path={path} {...(style ? { style } : {})} />
      <EdgeLabelRenderer>
        <div
          className="nodrag nopan absolute"
          style={{ transform: `translate(-50%, -50%) translate(${x + 14}px, ${y}px)`, pointerEvents: 'all' }}
        >
          <AddButton
            label={t('Insert a step before {name}', { name: looks.get(target)?.name ?? '' })}
            onAdd={() => onAdd({ before: target })}
            className="size-6!"
          />
        </div>
      </EdgeLabelRenderer>
    </>
  )
}

const nodeTypes = { file: FileBox, entry: EntryBox }
const edgeTypes = { line: Line }

interface Props extends Actions {
  links: Link[]
  onChange(links: Link[]): void
  onRemove(keys: string[]): void
}

export const ChainGraph = (props: Props) => (
  <ReactFlowProvider>
    <Canvas {...props} />
  </ReactFlowProvider>
)

const placeOf = ({ column, row }: { column: number; row: number }) => ({
  x: column * (WIDTH + GAP_X) - 30,
  y: row * (HEIGHT + GAP_Y),
})

function Canvas({ links, onChange, onRemove, looks, selected, onAdd, onSelect }: Props) {
  const theme = useTheme()
  const flow = useReactFlow()
  const [nodes, setNodes, onNodesChange] = useNodesState<EntryNode | FileNode>([])
  const edges = useMemo<Edge[]>(
    () =>
      links.map(({ key, input }) => ({
        id: `to-${key}`,
        type: 'line',
        source: input ?? FILE,
        target: key,
        deletable: input !== null,
        style: { strokeWidth: 2 },
        ariaLabel: t('takes its file from'),
      })),
    [links],
  )
  // Laid out anew after every change, so that no branch hides behind another.
  useEffect(() => setNodes(laidOut(links)), [links, setNodes])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new entry must come into view, a moved one must not move the view.
  useEffect(() => {
    const timer = setTimeout(() => void flow.fitView({ padding: 0.14, maxZoom: 1 }), 60)
    return () => clearTimeout(timer)
  }, [links.length, flow])

  const input = (source: string | null) => (source === FILE ? null : source)
  /** A step that is let go on a line goes into it; anywhere else it returns to its place. */
  const drop = (moved: Node) => {
    const centre = { x: moved.position.x + WIDTH / 2, y: moved.position.y + HEIGHT / 2 }
    const rows = places(links)
    const near = links
      .filter(({ key, input }) => key !== moved.id && input !== moved.id)
      .map(link => {
        const to = placeOf(rows.get(link.key) ?? { column: 1, row: 0 })
        const x = to.x - GAP_X / 2
        const y = to.y + HEIGHT / 2
        return { key: link.key, far: Math.hypot(centre.x - x, centre.y - y) }
      })
      .toSorted((a, b) => a.far - b.far)[0]
    const next = near && near.far < WIDTH * 0.7 ? moveInto(links, moved.id, near.key) : links
    if (next === links) setNodes(laidOut(links))
    else onChange(next)
  }
  return (
    <ActionsContext value={{ looks, selected, onAdd, onSelect }}>
      <div className="h-[min(60dvh,560px)] min-h-80">
        <ReactFlow
          aria-label={t('The steps as a graph')}
          colorMode={theme}
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={onNodesChange}
          onNodeDragStop={(_event, node) => node.id !== FILE && drop(node)}
          onConnect={({ source, target }) => onChange(connect(links, target, input(source)))}
          isValidConnection={({ source, target }) =>
            target !== FILE && source !== target && !descends(links, input(source), target)
          }
          onNodesDelete={gone => onRemove(gone.map(({ id }) => id).filter(id => id !== FILE))}
          onEdgesDelete={gone => onChange(gone.reduce((now, { target }) => connect(now, target, null), links))}
          deleteKeyCode={['Delete', 'Backspace']}
          fitView
          fitViewOptions={{ padding: 0.14, maxZoom: 1 }}
          minZoom={0.2}
          zoomOnScroll={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
        >
          <Background gap={22} />
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
    </ActionsContext>
  )
}

function laidOut(links: Link[]): (EntryNode | FileNode)[] {
  const found = places(links)
  const entries = links.map(
    ({ key }, index): EntryNode => ({
      id: key,
      type: 'entry',
      position: placeOf(found.get(key) ?? { column: 1, row: index }),
      data: {
        index,
        isLast: index === links.length - 1,
        isLeaf: !links.some(({ input }) => input === key),
      },
      // The button inside takes the focus.
      focusable: false,
    }),
  )
  const file: FileNode = {
    id: FILE,
    type: 'file',
    position: { x: 0, y: HEIGHT / 2 - 24 },
    data: { isAlone: links.length === 0 },
    deletable: false,
    draggable: false,
    focusable: false,
  }
  return [file, ...entries]
}
