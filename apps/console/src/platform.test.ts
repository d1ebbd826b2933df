import type { Client } from "@lango/client";
import { expect, test } from "vitest";
import { type Platform, platformIdOf } from "./platform.ts";

/** The platform with a person who is signed in. */
const withPerson = (isPlatformOwner: boolean): Platform => {
	const profile = { isPlatformOwner, tenantSlug: "lango", tenantId: "t-1" };
	const getState = () => ({ status: "ready", profile }) as ReturnType<Client["getState"]>;
	return { client: { getState } as Client, settings: {} as Platform["settings"] };
};

test.each([
	[true, "lango", "t-1"],
	[true, "uhai", undefined],
	[false, "lango", undefined],
])("whether it is the platform owner: %s; the tenant %s is named by %s", (isPlatformOwner, slug, id) => {
	expect(platformIdOf(withPerson(isPlatformOwner), slug)).toBe(id);
});
