import type { ServiceDefinition } from "@lango/chassis";
import { parts } from "../up.ts";

/**
 * Returns the services named by a command's arguments (`all`: every one). Prints the usage and exits with 1
 * if there are none.
 */
export function chooseServices(command: string): ServiceDefinition[] {
	const words = process.argv.slice(2);
	const services = parts.services.map(({ service }) => service);
	if (words.length === 1 && words[0] === "all") return services;
	const chosen = words.map((word) => services.find(({ name }) => name === word));
	const known = chosen.filter((service) => service !== undefined);
	if (known.length === 0 || known.length < words.length) {
		console.error(`Say which services: ${command} all|${services.map(({ name }) => name).join("|")}`);
		process.exit(1);
	}
	return known;
}
