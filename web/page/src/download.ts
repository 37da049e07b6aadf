// A text that was made here, saved as a file.
export function saveText(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "application/octet-stream"}));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
