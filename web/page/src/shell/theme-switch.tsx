import {Icon, type IconName} from "../ui/icon.js";
import {useTheme, type Theme} from "../ui/theme.js";

const kThemes: [theme: Theme, label: string, icon: IconName][] = [
  ["light", "Light", "sun"],
  ["dark", "Dark", "moon"],
  ["system", "As the system", "system"],
];

export function ThemeSwitch() {
  const [theme, choose] = useTheme();
  return (
    <div class="theme-switch" role="group" aria-label="Theme">
      {kThemes.map(([value, label, icon]) => (
        <button
          type="button"
          key={value}
          aria-label={label}
          title={label}
          aria-pressed={theme === value ? "true" : "false"}
          onClick={() => choose(value)}
        >
          <Icon name={icon} />
        </button>
      ))}
    </div>
  );
}
