import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@lango/chassis";
import type { NewDelivery } from "./delivery.ts";

/** Keeps deliveries on disk while the database is unavailable. */
export type Spool = {
	/** Writes a delivery and waits until it is on disk. Throws the error of the file system. */
	keep(delivery: NewDelivery): Promise<void>;
	/**
	 * Passes kept deliveries to `store`, the oldest first, and removes each after it was stored. Returns
	 * how many. A file that cannot be read, or whose content the database refuses, is set aside: those
	 * after it are stored. Throws any other error of `store`; the delivery stays.
	 */
	drain(store: (delivery: NewDelivery) => Promise<unknown>): Promise<number>;
	/** What waits in the folder, and what was set aside. */
	measure(): Promise<SpoolState>;
};

/** The number of files, and when the oldest delivery that waits was received. */
export type SpoolState = { waiting: number; waitingSince: Date | undefined; aside: number };

const ending = ".json";
const asideEnding = ".bad";

/**
 * Opens a spool in a folder, one file for each delivery. A file has its name only when it is complete.
 * Several processes may share the folder: what two of them store is stored once.
 */
export function openSpool(folder: string, log: Pick<Logger, "error">): Spool {
	return {
		async keep(delivery) {
			await mkdir(folder, { recursive: true });
			const name = `${delivery.receivedAt.getTime()}-${randomUUID()}${ending}`;
			const draft = join(folder, `${name}.draft`);
			await writeSynced(draft, toText(delivery));
			await rename(draft, join(folder, name));
			await syncFolder(folder);
		},
		async drain(store) {
			const names = (await listNames(folder)).filter((name) => name.endsWith(ending)).toSorted();
			let count = 0;
			for (const name of names) {
				const path = join(folder, name);
				const text = await readFile(path, "utf8").catch(unlessGone);
				if (text === undefined) continue;
				if (await storeText(text, store)) {
					await rm(path, { force: true });
					count += 1;
				} else {
					log.error({ file: name }, "a file of the spool is set aside: its delivery cannot be stored");
					await rename(path, `${path}${asideEnding}`).catch(unlessGone);
				}
			}
			return count;
		},
		async measure() {
			const names = await listNames(folder);
			const [first, ...others] = names.filter((name) => name.endsWith(ending)).toSorted();
			return {
				waiting: first === undefined ? 0 : others.length + 1,
				waitingSince: first === undefined ? undefined : new Date(Number.parseInt(first, 10)),
				aside: names.filter((name) => name.endsWith(asideEnding)).length,
			};
		},
	};
}

/** Returns false if the delivery of a file can never be stored. */
async function storeText(text: string, store: (delivery: NewDelivery) => Promise<unknown>): Promise<boolean> {
	const delivery = fromText(text);
	if (delivery === undefined) return false;
	try {
		await store(delivery);
		return true;
	} catch (error) {
		if (isRefusedData(error)) return false;
		throw error;
	}
}

/** The database refuses the values of the row: data exceptions, and violated constraints. */
const isRefusedData = (error: unknown): boolean =>
	error instanceof Error && "code" in error && /^2[23]\w{3}$/.test(String(error.code));

async function writeSynced(path: string, text: string): Promise<void> {
	const file = await open(path, "wx", 0o600);
	try {
		await file.writeFile(text);
		await file.sync();
	} finally {
		await file.close();
	}
}

/** The new name of a file is on disk when its folder is. */
async function syncFolder(folder: string): Promise<void> {
	const handle = await open(folder, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}

const listNames = async (folder: string): Promise<string[]> =>
	(await readdir(folder).catch(unlessGone)) ?? [];

function unlessGone(error: NodeJS.ErrnoException): undefined {
	if (error.code !== "ENOENT") throw error;
	return undefined;
}

const toText = ({ raw, ...rest }: NewDelivery): string =>
	JSON.stringify({ ...rest, raw: raw.toString("base64") });

/** Returns undefined if the text is not that of a delivery. */
function fromText(text: string): NewDelivery | undefined {
	const { raw, receivedAt, ...rest } = parse(text) ?? {};
	if (typeof raw !== "string" || typeof receivedAt !== "string") return undefined;
	return { ...rest, receivedAt: new Date(receivedAt), raw: Buffer.from(raw, "base64") } as NewDelivery;
}

function parse(text: string): Record<string, unknown> | undefined {
	try {
		return JSON.parse(text);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
