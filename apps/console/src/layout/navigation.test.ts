import type { Profile } from "@lango/client";
import { expect, test } from "vitest";
import { type Authority, navigationFor } from "./navigation.ts";

const profileWith = (permissions: string[]) =>
	({ globalRoles: [], permissions, products: ["treasury"], isPlatformOwner: false }) as unknown as Profile;
const pagesOf = (authority: Authority) => navigationFor(authority, "money").map(({ to }) => to);

test("a page of the treasury is offered to exactly the people who hold its permission there", () => {
	const profile = profileWith(["auth.users.view"]);
	const inTreasury = new Set(["treasury.payments.view", "treasury.receipts.manage"]);
	expect(pagesOf({ profile, inTreasury })).toEqual(["/$slug/payments", "/$slug/receipts"]);
});

test("until the treasury has answered, who may see people is offered its pages", () => {
	const offered = pagesOf({ profile: profileWith(["auth.users.view"]), inTreasury: undefined });
	expect(offered).toContain("/$slug/receipts");
	expect(pagesOf({ profile: profileWith([]), inTreasury: undefined })).toEqual(["/$slug/payments"]);
});
