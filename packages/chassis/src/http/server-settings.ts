import { type ConnectionLimits, defaultConnectionLimits } from "../limits/connections.ts";
import { integer, type Secret, secret } from "../settings/settings.ts";

/** The limits of connections, and the token of `GET /metrics`. */
export const serverSettings = {
	connectionsMax: integer({
		env: "LANGO_CONNECTIONS_MAX",
		default: defaultConnectionLimits.connectionsMax,
		min: 1,
		max: 1_000_000,
		because: "the maximum number of open connections of one process; further ones are closed",
	}),
	connectionsPerAddressMax: integer({
		env: "LANGO_CONNECTIONS_PER_ADDRESS_MAX",
		default: defaultConnectionLimits.connectionsPerAddressMax,
		max: 1_000_000,
		because:
			"the maximum number of open connections from one address (IPv6: one /64); 0: no limit. Addresses of LANGO_TRUSTED_PROXIES are not limited",
	}),
	headersTimeoutMs: integer({
		env: "LANGO_HEADERS_TIMEOUT_MS",
		default: defaultConnectionLimits.headersTimeoutMs,
		min: 100,
		max: 600_000,
		because: "how long the headers of a request may take to arrive, in milliseconds",
	}),
	requestTimeoutMs: integer({
		env: "LANGO_REQUEST_TIMEOUT_MS",
		default: defaultConnectionLimits.requestTimeoutMs,
		min: 100,
		max: 600_000,
		because: "how long a whole request may take to arrive, headers and body, in milliseconds",
	}),
	keepAliveTimeoutMs: integer({
		env: "LANGO_KEEP_ALIVE_TIMEOUT_MS",
		default: defaultConnectionLimits.keepAliveTimeoutMs,
		min: 100,
		max: 600_000,
		because:
			"how long an idle connection is kept open, in milliseconds; longer than the proxy in front keeps it",
	}),
	metricsToken: secret({
		env: "METRICS_TOKEN",
		optional: true,
		because:
			"the bearer token that GET /metrics requires; without it only callers on the same machine are served",
	}),
};

/** The values of these settings. */
export type ServerSettings = ConnectionLimits & { metricsToken: Secret | undefined };
