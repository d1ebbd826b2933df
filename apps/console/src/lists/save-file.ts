const keptMs = 60_000;

/** Lets the browser save a file under a name. */
export function saveFile(file: Blob, name: string): void {
	const address = URL.createObjectURL(file);
	const link = document.createElement("a");
	link.href = address;
	link.download = name;
	link.click();
	// The browser reads the file after the click, so it is released later.
	setTimeout(() => URL.revokeObjectURL(address), keptMs);
}
