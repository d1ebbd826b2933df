/** So long after the answer a phone of the sandbox accepts its prompt: a part of every collection. */
export const callbackPauseMs = 10;
