export { type KeyRing, openKeyRing, refreshEvery } from "./key-ring.ts";
export { removeKey, rotateKeys } from "./rotate-keys.ts";
export { goesOnAt, type KeyPlan, type KeyState, type KeyStep } from "./rotation.ts";
export { listKeyStates } from "./signing-key.store.ts";
