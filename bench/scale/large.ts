import type { Seed } from "../sign-on/driver-process.ts";
import { drawPeople, type Installation, langoTarget, signInPeople } from "../sign-on/stage.ts";
import type { Placed, Stage } from "./stage.ts";

/** The number of signed-in people, selected evenly. */
const drawn = 20_000;

/** Creates the large installation; takes minutes for a million people. */
export function openLarge(stage: Stage): Promise<Installation> {
	const { people, tenants } = stage.options;
	return stage.install("bench_scale", { people, tenants });
}

/** Starts a sign-on service on the installation, on its own core, and signs people in. */
export async function openTarget(
	stage: Stage,
	large: Installation,
	name: string,
): Promise<{ placed: Placed; seeds: Array<Required<Seed>>; close(): Promise<void> }> {
	const server = await stage.startLango(large);
	stage.spread("split", server);
	const seeds = await signInPeople(large, drawPeople(large.size, drawn));
	return { placed: { target: langoTarget(name, server), servers: [server] }, seeds, close: server.stop };
}
