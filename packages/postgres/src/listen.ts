import pg from "pg";

/** A connection that hears what the database is told on one channel (PostgreSQL's LISTEN and NOTIFY). */
export type Listening = { stop(): Promise<void> };

export type ListenOptions = {
	url: string;
	/** Shown in pg_stat_activity. */
	name: string;
	channel: string;
	onMessage: (payload: string) => void;
	/** From now on nothing is missed; called again after each loss, once the connection is back. */
	onReady: () => void;
	/** The connection was lost, or could not be made: what is said now is missed. Once until the next `onReady`; why, where it is known. */
	onLost: (error: unknown) => void;
};

const retryMs = { first: 250, most: 10_000 };
const plainName = /^[a-z][a-z0-9_]{0,62}$/;

/** Listens until stopped; a lost connection is made anew, with growing pauses. Throws an Error when the channel has no plain name. */
export function listen({ url, name, channel, onMessage, onReady, onLost }: ListenOptions): Listening {
	if (!plainName.test(channel)) throw new Error(`"${channel}" cannot name a channel`);
	let client: pg.Client | undefined;
	let timer: NodeJS.Timeout | undefined;
	let pauseMs = retryMs.first;
	let isStopped = false;
	let isLossTold = false;

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
			if (!isLossTold && !isStopped) onLost(error);
			isLossTold = true;
			next.end().catch(() => undefined); // It is gone already; nothing is left to be told.
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
			isLossTold = false;
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
			await last?.end().catch(() => undefined); // A connection that cannot be closed is closed.
		},
	};
}
