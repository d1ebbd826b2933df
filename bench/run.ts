/** `npm run bench -- NAME [options]` runs one bench. bench/README.md describes each. */
import { chassis } from "./chassis/chassis.ts";
import { events } from "./events/events.ts";
import { idle } from "./idle/idle.ts";
import { notifications } from "./notifications/notifications.ts";
import { pages } from "./pages/pages.ts";
import { scale } from "./scale/scale.ts";
import { signOn } from "./sign-on/sign-on.ts";
import { subscriptions } from "./subscriptions/subscriptions.ts";
import { treasury } from "./treasury/treasury.ts";

const benches: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = {
	"sign-on": signOn,
	events,
	notifications,
	subscriptions,
	chassis,
	scale,
	treasury,
	pages,
	idle,
};

const [name = "", ...words] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined) {
	console.error(`Name a bench: npm run bench -- ${Object.keys(benches).join("|")}`);
	process.exit(1);
}
try {
	await bench(words);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
