import { registerHooks } from "node:module";

/**
 * Loaded before a ride's program (`node --import`): whoever imports `recordEvent` gets the one of `record-as-told.ts`, so that the
 * code of a service runs as it is, with its event, with a plain row in the event's place, or with neither.
 */
const original = new URL("../../../packages/events/src/outbox/record-event.ts", import.meta.url).href;
const instead = new URL("./record-as-told.ts", import.meta.url).href;

registerHooks({
	resolve(specifier, context, nextResolve) {
		const found = nextResolve(specifier, context);
		return found.url === original && context.parentURL !== instead ? { ...found, url: instead } : found;
	},
});
