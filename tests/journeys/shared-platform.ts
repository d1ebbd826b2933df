import { readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { startBrowser } from "./browser.ts";
import { type Leftover, type RunningPlatform, removeLeftover, startPlatform } from "./running-platform.ts";

declare module "vitest" {
	export interface ProvidedContext {
		/** The folder with one file for each shared platform. */
		sharedPlatforms: string;
	}
}

let platform: Promise<RunningPlatform> | undefined;
let browser: Promise<Browser> | undefined;

/**
 * The platform that all files of this worker share. It is started by the first one and stopped at the end of
 * the run. Each file leaves the demo tenants as it found them, or works in tenants of its own.
 */
export function sharedPlatform(): Promise<RunningPlatform> {
	// Subscriptions are paid at once, or as a journey asks: paying is the subject of other journeys.
	platform ??= startPlatform({ SUBSCRIPTIONS_SANDBOX_BILLING: "pays" }).then((started) => {
		writeFileSync(join(inject("sharedPlatforms"), `${process.pid}.json`), JSON.stringify(started.leftover));
		return started;
	});
	return platform;
}

/** The browser that all files of this worker share. It ends with the worker. */
export async function sharedBrowser(): Promise<Browser> {
	const running = await browser;
	if (running?.isConnected()) return running;
	browser = startBrowser();
	return browser;
}

/** Vitest's global set-up: a folder for the shared platforms; returns the function that stops them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
	const folder = await mkdtemp(join(tmpdir(), "lango-shared-platforms-"));
	project.provide("sharedPlatforms", folder);
	return async () => {
		const stops = readdirSync(folder).map(async (name) => {
			const leftover = JSON.parse(await readFile(join(folder, name), "utf8")) as Leftover;
			await removeLeftover(leftover);
		});
		await Promise.all(stops);
		await rm(folder, { recursive: true, force: true });
	};
}
