/** The settings from which addresses of callbacks follow (payments text §2.3). */
export type UrlSettings = {
	publicBaseUrl: string;
	cardgwCallbackUrl: string | undefined;
	cardgwWebhookUrl: string | undefined;
};

/** Where the card gateway sends its events. */
export const cardWebhookUrl = ({ publicBaseUrl, cardgwWebhookUrl }: UrlSettings): string =>
	cardgwWebhookUrl ?? `${publicBaseUrl}/api/v1/webhooks/cardgateway`;

/** Where the card gateway sends the payer's browser. */
export const cardCallbackUrl = ({ publicBaseUrl, cardgwCallbackUrl }: UrlSettings): string =>
	cardgwCallbackUrl ?? `${publicBaseUrl}/api/v1/payments/callback`;
