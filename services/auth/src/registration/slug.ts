import { uuidForm } from "@lango/chassis";

/** Words that cannot be a tenant's slug: addresses of services and pages, and names of official roles. */
const reserved: ReadonlySet<string> = new Set(
	`about abuse accounts admin administrator analytics api app apps assets auth authorize billing blog by-slug callback cdn config
	console contact dashboard dev docs download email example favicon files ftp graphql healthz help home hospital hostmaster html
	http https images imap info inventory invitations invite js json jwks legal localhost login logistics logout mail marketflow me
	members metrics mx ns null oauth oidc openapi ordering outlets password pay pending plans platform policies pop pos postmaster
	privacy profile projects public readyz register reset-password root sandbox security select-outlet settings signin signup smtp
	sso static status subscribe subscription subscriptions superuser support system tenant tenants terms test test-clock token
	treasury unauthorized undefined user users v1 v2 verify-email webhooks well-known www notifications`.split(
		/\s+/,
	),
);

/** Whether a slug is reserved: a word of the platform, or a text in the form of an id. */
export function isReservedSlug(slug: string): boolean {
	return reserved.has(slug) || uuidForm.test(slug) || /^-*$/.test(slug);
}
