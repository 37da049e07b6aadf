// The page's own icons: strokes on a grid of 24. They are decoration; what they stand for is written beside
// them, or in the label of their button.

const kPaths = {
  home: "M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6",
  shield: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4",
  policies: "M5 4h14v16H5zM9 9h6M9 13h6M9 17h3",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  query: "M5 6l6 6-6 6M13 18h6",
  jobs: "M4 7h16v13H4zM9 7V4h6v3M4 12h16",
  audit: "M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h6",
  operations: "M3 12h4l3-8 4 16 3-8h4",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  search: "M11 4a7 7 0 100 14 7 7 0 000-14zM16 16l5 5",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1 1M18 18l1 1M5 19l1-1M18 6l1-1",
  moon: "M20 14A8.5 8.5 0 1110 4a7 7 0 0010 10z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  warning: "M12 4l9 16H3zM12 10v4M12 17v.01",
  info: "M12 3a9 9 0 100 18 9 9 0 000-18zM12 11v5M12 8v.01",
  check: "M5 13l4 4L19 7",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  refresh: "M20 11a8 8 0 10-2 6.3M20 5v6h-6",
  play: "M7 5l12 7-12 7z",
  stop: "M6 6h12v12H6z",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  upload: "M12 16V5M7 9l5-5 5 5M5 20h14",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  filter: "M4 5h16l-6 8v6l-4-2v-4z",
  table: "M4 5h16v14H4zM4 10h16M4 15h16M10 10v9",
  database: "M12 4c5 0 8 1.5 8 3s-3 3-8 3-8-1.5-8-3 3-3 8-3zM4 7v10c0 1.5 3 3 8 3s8-1.5 8-3V7",
  eye: "M2 12c3-5 6-7 10-7s7 2 10 7c-3 5-6 7-10 7s-7-2-10-7zM12 9a3 3 0 100 6 3 3 0 000-6z",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 016 0v3",
  user: "M12 4a4 4 0 100 8 4 4 0 000-8zM5 20c0-3.5 3-5 7-5s7 1.5 7 5",
  right: "M9 5l7 7-7 7",
  left: "M15 5l-7 7 7 7",
  down: "M5 9l7 7 7-7",
  up: "M5 15l7-7 7 7",
  drag: "M9 6v.01M9 12v.01M9 18v.01M15 6v.01M15 12v.01M15 18v.01",
  clock: "M12 3a9 9 0 100 18 9 9 0 000-18zM12 7v5l3 2",
  keyboard: "M3 6h18v12H3zM7 10v.01M11 10v.01M15 10v.01M8 14h8",
  out: "M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9",
} as const;

export type IconName = keyof typeof kPaths;

export function Icon({name}: {name: IconName}) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={kPaths[name]} />
    </svg>
  );
}
