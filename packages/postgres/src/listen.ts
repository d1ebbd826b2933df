import pg from "pg";

/** A connection that receives notifications of one channel (LISTEN and NOTIFY). */
export type Listening = { stop(): Promise<void> };

export type ListenOptions = {
	url: string;
	/** The application name in pg_stat_activity. */
	name: string;
	channel: string;
	onMessage: (payload: string) => void;
	/** Called when notifications are received from now on: at the start, and after each reconnect. */
	onReady: () => void;
	/**
	 * Called once when the connection is lost or cannot be opened, until the next `onReady`. Notifications are
	 * missed meanwhile.
	 */
	onLost: (error: unknown) => void;
};

const retryMs = { first: 250, most: 10_000 };
const plainName = /^[a-z][a-z0-9_]{0,62}$/;

/**
 * Listens until stopped. A lost connection is reopened with growing pauses. Throws an Error if the channel
 * name is invalid.
 */
export function listen({ url, name, channel, onMessage, onReady, onLost }: ListenOptions): Listening {
	if (!plainName.test(channel)) throw new Error(`"${channel}" is not a valid channel name`);
	let client: pg.Client | undefined;
	let timer: NodeJS.Timeout | undefined;
	let pauseMs = retryMs.first;
	let isStopped = false;
	let isLossReported = false;

	const again = () => {
		if (isStopped) return;
		timer = setTimeout(() => void connect(), pauseMs);
		pauseMs = Math.min(pauseMs * 2, retryMs.most);
	};
	const connect = async (): Promise<void> => {
		const next = new pg.Client({
			connectionString: url,
			application_name: `lango-${name}-listen`,
			connectionTimeoutMillis: 5_000,
			keepAlive: true,
		});
		const lost = (error?: unknown) => {
			if (client !== next) return;
			client = undefined;
			if (!isLossReported && !isStopped) onLost(error);
			isLossReported = true;
			next.end().catch(() => undefined); // It is closed already.
			again();
		};
		client = next;
		next.on("error", lost);
		next.on("end", () => lost());
		next.on("notification", ({ payload = "" }) => onMessage(payload));
		try {
			await next.connect();
			await next.query(`listen ${channel}`);
			if (client !== next || isStopped) return;
			isLossReported = false;
			pauseMs = retryMs.first;
			onReady();
		} catch (error) {
			lost(error);
		}
	};
	void connect();

	return {
		async stop() {
			isStopped = true;
			clearTimeout(timer);
			const last = client;
			client = undefined;
			await last?.end().catch(() => undefined); // It is closed already.
		},
	};
}
