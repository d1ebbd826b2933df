export { createHashingQueue, type HashingLimits, type HashingQueue } from "./hashing-queue.ts";
export { hashPassword } from "./password.ts";
