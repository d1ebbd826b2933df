import type { ServiceDefinition } from "@lango/chassis";

/**
 * The services of `tools/up.ts`, in its order. Each is imported only if it is used, because loading all of
 * them takes longer than most commands.
 */
const loaders: Readonly<Record<string, () => Promise<ServiceDefinition>>> = {
	auth: async () => (await import("../../services/auth/src/service.ts")).auth,
	subscriptions: async () => (await import("../../services/subscriptions/src/service.ts")).subscriptions,
	notifications: async () => (await import("../../services/notifications/src/service.ts")).notifications,
	treasury: async () => (await import("../../services/treasury/src/service.ts")).treasury,
	hospital: async () => (await import("../../services/hospital/src/service.ts")).hospital,
	inventory: async () => (await import("../../services/inventory/src/service.ts")).inventory,
	logistics: async () => (await import("../../services/logistics/src/service.ts")).logistics,
	marketflow: async () => (await import("../../services/marketflow/src/service.ts")).marketflow,
	projects: async () => (await import("../../services/projects/src/service.ts")).projects,
	ordering: async () => (await import("../../services/ordering/src/service.ts")).ordering,
	pos: async () => (await import("../../services/pos/src/service.ts")).pos,
};

export const serviceNames: readonly string[] = Object.keys(loaders);

/** Loads a service. Throws an Error that names all services if the name is unknown. */
export async function loadService(name: string): Promise<ServiceDefinition> {
	const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
	if (load === undefined)
		throw new Error(`There is no service "${name}"; there are ${serviceNames.join(", ")}.`);
	return load();
}

/**
 * Returns the services named by a command's arguments (`all`: every one). Prints the usage and exits with 1
 * if there are none.
 */
export async function chooseServices(command: string): Promise<ServiceDefinition[]> {
	const words = process.argv.slice(2);
	const chosen = words.length === 1 && words[0] === "all" ? serviceNames : words;
	if (chosen.length === 0 || !chosen.every((word) => serviceNames.includes(word))) {
		console.error(`Say which services: ${command} all|${serviceNames.join("|")}`);
		process.exit(1);
	}
	return Promise.all(chosen.map(loadService));
}
