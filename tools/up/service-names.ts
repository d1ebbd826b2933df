import type { ServiceDefinition } from "@lango/chassis";
import { parts } from "../up.ts";

/**
 * The services that the words of a command name (`all` for every one). When they name none, says so and ends
 * with 1.
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
