import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NewDelivery } from "./delivery.ts";

/** Keeps deliveries on disk while the database is unavailable. */
export type Spool = {
	/** Writes a delivery and waits until it is on disk. Throws the error of the file system. */
	keep(delivery: NewDelivery): Promise<void>;
	/**
	 * Passes kept deliveries to `store`, the oldest first, and removes each after it was stored. Returns how
	 * many. Throws what `store` throws; the delivery stays.
	 */
	drain(store: (delivery: NewDelivery) => Promise<unknown>): Promise<number>;
};

const ending = ".json";

/**
 * Opens a spool in a folder, one file for each delivery. A file has its name only when it is complete.
 * Several processes may share the folder: what two of them store is stored once.
 */
export function openSpool(folder: string): Spool {
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
				await store(fromText(text));
				await rm(path, { force: true });
				count += 1;
			}
			return count;
		},
	};
}

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

function fromText(text: string): NewDelivery {
	const { raw, receivedAt, ...rest } = JSON.parse(text) as Omit<NewDelivery, "raw" | "receivedAt"> & {
		raw: string;
		receivedAt: string;
	};
	return { ...rest, receivedAt: new Date(receivedAt), raw: Buffer.from(raw, "base64") };
}
