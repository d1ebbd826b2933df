export { createHashingQueue, type Hashing, type HashingLimits, type HashingQueue } from "./hashing-queue.ts";
export { hashPassword } from "./password.ts";
export type { HashingRequester } from "./shares.ts";
