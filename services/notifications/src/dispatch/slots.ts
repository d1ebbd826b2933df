import type { Lane } from "./claim.store.ts";

/** The slots of a class: how many of its deliveries this process sends at once, in all and by lane. */
export type Slots = {
	/** How many deliveries may be claimed from a lane now. */
	freeFor(lane: Lane, others: boolean): number;
	free(): number;
	take(lane: Lane, count: number): void;
	release(lane: Lane): void;
	/** How many deliveries are in progress. */
	inUse(): number;
};

const laneKey = ({ tenantId, channel }: Lane) => `${tenantId} ${channel}`;

/**
 * Creates the slots of a class. A lane gets a quarter of them at most while other lanes are due, else three
 * quarters: a later lane then finds free slots.
 */
export function createSlots(size: number): Slots {
	const byLane = new Map<string, number>();
	let used = 0;
	return {
		free: () => size - used,
		inUse: () => used,
		freeFor(lane, others) {
			const share = Math.max(1, Math.floor(size * (others ? 0.25 : 0.75)));
			return Math.max(0, Math.min(size - used, share - (byLane.get(laneKey(lane)) ?? 0)));
		},
		take(lane, count) {
			used += count;
			byLane.set(laneKey(lane), (byLane.get(laneKey(lane)) ?? 0) + count);
		},
		release(lane) {
			used -= 1;
			const left = (byLane.get(laneKey(lane)) ?? 1) - 1;
			if (left === 0) byLane.delete(laneKey(lane));
			else byLane.set(laneKey(lane), left);
		},
	};
}
