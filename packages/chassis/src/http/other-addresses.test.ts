import { expect, test } from "vitest";
import { moveOtherAddresses } from "./other-addresses.ts";

const move = moveOtherAddresses([
	{ from: "/:tenant/auth/me", to: "/api/v1/:tenant/notifications/auth/me" },
	{ from: "/:tenant/notifications", to: "/api/v1/:tenant/notifications" },
]);

test.for<[string, string]>([
	["/uhai/notifications/messages?status=sent", "/api/v1/uhai/notifications/messages?status=sent"],
	["/u%20hai/notifications", "/api/v1/u%20hai/notifications"],
	["/uhai/auth/me", "/api/v1/uhai/notifications/auth/me"],
	["/api/v1/uhai/notifications/messages", "/api/v1/uhai/notifications/messages"],
	["/uhai/notifications-old/messages", "/uhai/notifications-old/messages"],
	["/uhai/more/notifications/messages", "/uhai/more/notifications/messages"],
	["/$&/notifications/messages", "/api/v1/$&/notifications/messages"],
	["//notifications/messages", "//notifications/messages"],
	["/healthz?x=/uhai/notifications", "/healthz?x=/uhai/notifications"],
])("%s is served by the routes at %s", ([from, to]) => {
	expect(move(from)).toBe(to);
});
