import { expect, test } from "vitest";
import { cardCallbackUrl, cardWebhookUrl } from "./callback-urls.ts";

const unset = { cardgwCallbackUrl: undefined, cardgwWebhookUrl: undefined };
const settings = { publicBaseUrl: "https://pay.example", ...unset };

test("addresses for the card gateway begin with the public address", () => {
	expect(cardWebhookUrl(settings)).toBe("https://pay.example/api/v1/webhooks/cardgateway");
	expect(cardCallbackUrl(settings)).toBe("https://pay.example/api/v1/payments/callback");
});

test("the settings for the card gateway replace its two addresses", () => {
	const own = {
		cardgwCallbackUrl: "https://shop.example/back",
		cardgwWebhookUrl: "https://hooks.example/in",
	};
	expect(cardWebhookUrl({ ...settings, ...own })).toBe("https://hooks.example/in");
	expect(cardCallbackUrl({ ...settings, ...own })).toBe("https://shop.example/back");
});
