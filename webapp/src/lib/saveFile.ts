/**
 * Downloads a generated file. Where a
 * browser shows such an address instead, its own menu saves or shares it.
 */
export function saveFile(name: string, content: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some phones read the file only after the press is over.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
