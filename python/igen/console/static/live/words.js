// Figures and times in words, as the command line writes them.
export const figure = (value) => {
  if (value == null || Number.isNaN(value)) return "–";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
};

export const clock = (seconds) => {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${two(minutes)}:${two(rest)}`;
};

// Between two ticks of a clock: whole seconds, as it shows no others.
export const CLOCK_STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
// Between two ticks of users, of whom there is none by half.
export const WHOLE_STEPS = Array.from({ length: 27 }, (_, place) => [1, 2, 5][place % 3] * 10 ** Math.floor(place / 3));

export const span = (seconds) => {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toPrecision(2)} h`;
};

export const bytes = (value) => {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit++; }
  return `${figure(value)} ${units[unit]}`;
};
